import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentState, Coordinator } from '#model';
import type { FirstDialog, WalkedAgent, WalkedUser } from './walked-agents.ts';
import type { Turn, WalkedModel } from './walked-model.ts';

/** What the script of a walk knows: a state, or that it knows none. */
export type Truth = Exclude<AgentState, 'unknown'> | 'any';

/** The agent of a walk, and what it needs. */
export interface AgentWalkParts {
  /** The session in which the agent runs, which is recorded. */
  readonly session: string;
  readonly agent: WalkedAgent;
  readonly model: WalkedModel;
  readonly user: WalkedUser;
  /** How long the agent may take for a step, in ms. */
  readonly stepMs: number;
}

const dwellMs = 2_500;
/** A screen that stays the same for this long has nothing that moves. */
const stillMs = 2_000;
const pollMs = 150;

const quotes = [
  'Another agent shows this when it asks:',
  '',
  'Do you want to proceed?',
  '❯ 1. Yes',
  '  2. No, and tell it what to do differently (esc)',
  '',
  'Enter to select · ↑/↓ to navigate · Esc to cancel',
  '',
  'and this when it works:',
  '',
  '⠋ Working... (8s · esc to interrupt)',
].join('\n');

const dialog = 'Do you want to proceed?\n❯ 1. Yes\n  2. No\n\nEnter to confirm · Esc to cancel';

/**
 * Walks an agent through its states. What the script knows is in markers of the recording, too: `truth busy
 * 20-busy-streams`.
 */
export class AgentWalk {
  readonly #coordinator: Coordinator;
  readonly #session: string;
  readonly #agent: WalkedAgent;
  readonly #model: WalkedModel;
  readonly #user: WalkedUser;
  readonly #stepMs: number;
  #files = 0;
  /** What the script knows now, and since when, in ms since 1970. */
  truth: { readonly state: Truth; readonly stage: string; readonly sinceMs: number } = {
    state: 'any',
    stage: '',
    sinceMs: 0,
  };

  constructor(coordinator: Coordinator, parts: AgentWalkParts) {
    this.#coordinator = coordinator;
    this.#session = parts.session;
    this.#agent = parts.agent;
    this.#model = parts.model;
    this.#user = parts.user;
    this.#stepMs = parts.stepMs;
  }

  async all(): Promise<void> {
    await this.#begin();
    await this.#drafts('11-idle-draft', 'please look at the readme');
    await this.#drafts('12-idle-draft-quotes', `what does this mean?\n${dialog}`);
    await this.#streams();
    await this.#streamsWithDraft();
    await this.#silent();
    await this.#command(true, 70);
    await this.#command(false, 73);
    await this.#asks('edit', 76);
    await this.#asks('question', 78);
    await this.#interrupted();
    await this.#fails();
    await this.#quotes();
    await this.#fakes();
    await this.#resizesAtWork({ cols: 60, rows: 20 });
    await this.#command(true, 80);
  }

  /** Goes until the composer is there, through the dialogs before it. */
  async #begin(): Promise<void> {
    let number = 0;
    const { firstDialogs, ready } = this.#agent;
    const dialogIn = (text: string) => firstDialogs.find((each) => isOpen(each, text));
    const isReady = async () => {
      const text = await this.#text();
      return dialogIn(text) !== undefined || ready.test(text);
    };
    let shown = '';
    for (;;) {
      await this.#until('the start', isReady);
      await this.#still();
      const text = await this.#text();
      const first = dialogIn(text);
      if (first === undefined && !ready.test(text)) continue;
      if (first === undefined) break;
      if (text === shown) throw new Error(`the dialog stays: ${first.shows}`);
      shown = text;
      await this.#truth('asks', `0${number++}-asks-first`);
      await this.#pause(dwellMs);
      await this.#truth('any');
      await this.#keys(first.keys ?? (await this.#yes()));
      await this.#until('an answer', async () => (await this.#text()) !== text);
    }
    await this.#idle('10-idle-first');
  }

  /** The agent is at its composer: nothing is asked of the model, no command runs, nothing moves. */
  async #idle(stage: string): Promise<void> {
    await this.#until('the end of the turn', async () => this.#isQuiet());
    await this.#still();
    await this.#truth('idle', stage);
    await this.#pause(dwellMs);
    await this.#truth('any');
  }

  /** Types a draft, and removes it again. */
  async #drafts(stage: string, text: string): Promise<void> {
    await this.#coordinator.sendText(this.#session, text, { paste: 'auto' });
    await this.#idle(stage);
    await this.#clear(text);
  }

  /** Removes a draft. Without one, the key would end some agents. */
  async #clear(draft: string): Promise<void> {
    const last = draft.trimEnd().split(/\s/).at(-1) ?? '';
    const shown = await this.#text();
    if (shown.includes(last) || /pasted/i.test(shown)) await this.#keys(['ctrl+c']);
    await this.#pause(1_000);
  }

  /** Sends a prompt, and waits until the model is asked. */
  async #prompts(turns: readonly Turn[], text = 'say something'): Promise<void> {
    this.#model.turns.splice(0, Number.POSITIVE_INFINITY, ...turns);
    const { requests } = this.#model;
    // What an idle agent quotes may be told as work for 5 s. Some put an interrupted prompt back into the composer.
    const how = { submit: true, queue: true, draft: 'replace' as const };
    await this.#coordinator.sendText(this.#session, `walk: ${text}`, how);
    await this.#until('a request', async () => this.#model.requests > requests);
  }

  /** The agent works until the model has said its last word. */
  async #busyUntilAnswered(stage: string): Promise<void> {
    await this.#pause(600);
    if (this.#model.open > 0) await this.#truth('busy', stage);
    await this.#until('the end of an answer', async () => this.#model.open === 0);
    await this.#truth('any');
  }

  async #streams(): Promise<void> {
    await this.#prompts([{ does: 'says', text: words(14), wordMs: 500 }]);
    await this.#busyUntilAnswered('20-busy-streams');
    await this.#idle('21-idle-answered');
  }

  /** A draft is typed while the agent works. */
  async #streamsWithDraft(): Promise<void> {
    await this.#prompts([{ does: 'says', text: words(16), wordMs: 500 }]);
    await this.#truth('busy', '22-busy-before-draft');
    await this.#pause(1_500);
    await this.#coordinator.sendText(this.#session, 'and then look at the tests', {});
    await this.#busyUntilAnswered('22-busy-draft');
    await this.#idle('23-idle-with-draft');
    await this.#clear('tests');
  }

  async #silent(): Promise<void> {
    await this.#prompts([{ does: 'waits', ms: 9_000 }]);
    await this.#busyUntilAnswered('30-busy-silent');
    await this.#idle('31-idle-answered');
  }

  async #quotes(): Promise<void> {
    await this.#prompts([{ does: 'says', text: quotes, wordMs: 150 }], 'quote a dialog');
    await this.#busyUntilAnswered('40-busy-quotes');
    await this.#idle('41-idle-quotes');
  }

  /** The answer ends with a menu. */
  async #fakes(): Promise<void> {
    const text = `I would ask you:\n\n${dialog}`;
    await this.#prompts([{ does: 'says', text, wordMs: 100 }], 'draw a menu');
    await this.#busyUntilAnswered('42-busy-fakes');
    await this.#idle('43-idle-fakes');
  }

  async #fails(): Promise<void> {
    await this.#prompts([{ does: 'fails' }]);
    await this.#idle('50-idle-error');
  }

  async #interrupted(): Promise<void> {
    await this.#prompts([{ does: 'says', text: words(60), wordMs: 500 }]);
    await this.#pause(600);
    await this.#truth('busy', '51-busy-streams');
    await this.#pause(dwellMs);
    await this.#truth('any');
    const { interrupts = ['escape'] } = this.#agent;
    await this.#oneByOne(interrupts);
    await this.#until('the interruption', async () => this.#model.open === 0);
    await this.#idle('52-idle-interrupted');
  }

  /** The agent asks whether it may run a command that takes some seconds, and runs it. */
  async #command(allowed: boolean, number: number): Promise<void> {
    const name = `walk-${++this.#files}`;
    const begun = join(this.#user.project, `${name}.begun`);
    const done = join(this.#user.project, `${name}.done`);
    const command = `touch ${begun}; sleep 8; touch ${done}`;
    const args = { command, description: 'Takes a walk', ...this.#agent.askedArgs };
    await this.#prompts([{ does: 'calls', tool: 'command', args }], 'run the command');
    await this.#until('the call', async () => this.#model.open === 0);
    const { requests } = this.#model;
    const isOver = () => this.#model.requests > requests;
    await this.#pause(1_500);
    await this.#until('a question', async () => {
      const text = await this.#text();
      return existsSync(begun) || isOver() || text.includes(name);
    });
    await this.#pause(1_500);
    if (this.#model.called && !existsSync(begun) && !isOver()) {
      await this.#truth('asks', `${number}-asks-command`);
      await this.#pause(dwellMs);
      await this.#truth('any');
      const { allows = ['enter'], refuses = ['escape'] } = this.#agent;
      if (allowed) await this.#keys(allows);
      else await this.#oneByOne(refuses);
    }
    if (allowed) {
      await this.#until('the command', async () => existsSync(begun) || isOver());
      await this.#pause(600);
      if (!existsSync(done)) await this.#truth('busy', `${number + 1}-busy-command`);
      await this.#until('its end', async () => existsSync(done) || isOver());
      await this.#truth('any');
      await this.#until('the result', async () => isOver());
    } else await this.#pause(2_000);
    await this.#idle(`${number + 2}-idle-${allowed ? 'command-done' : 'refused'}`);
  }

  /** The agent asks with one of its other tools. */
  async #asks(tool: 'edit' | 'question', number: number): Promise<void> {
    const file = join(this.#user.project, 'walk.txt');
    const options = [
      { label: 'Trees', description: 'Green ones' },
      { label: 'Rivers', description: 'Long ones' },
      { label: 'Mountains', description: 'High ones' },
    ];
    const question = 'Which do you like best?';
    const args =
      tool === 'edit'
        ? { path: file, content: 'One line\nAnother line\n', command: 'create' }
        : { question, questions: [{ question, header: 'Like', type: 'choice', options }], options };
    await this.#prompts([{ does: 'calls', tool, args }], `call the ${tool} tool`);
    await this.#until('the call', async () => this.#model.open === 0);
    const { requests } = this.#model;
    await this.#pause(3_000);
    const isWritten = tool === 'edit' && existsSync(file);
    if (this.#model.called && this.#model.requests === requests && !isWritten) {
      await this.#truth('asks', `${number}-asks-${tool}`);
      await this.#pause(dwellMs);
      await this.#truth('any');
      await this.#keys(tool === 'edit' ? (this.#agent.allows ?? ['enter']) : ['enter']);
      // Some ask whether the answers are right.
      for (const key of ['enter', 'enter', 'escape', 'escape']) {
        await this.#pause(2_000);
        if (this.#model.requests > requests) break;
        await this.#keys([key]);
      }
      await this.#pause(1_500);
      // Nobody knows whether it still asks.
      if (this.#model.requests === requests) return;
    }
    await this.#idle(`${number + 1}-idle-${tool}-done`);
  }

  /** The window changes while the agent works. */
  async #resizesAtWork(size: { cols: number; rows: number }): Promise<void> {
    await this.#prompts([{ does: 'says', text: words(16), wordMs: 500 }]);
    await this.#pause(600);
    await this.#truth('busy', '60-busy-before-resize');
    await this.#pause(1_500);
    await this.#coordinator.resize(this.#session, size);
    await this.#busyUntilAnswered('61-busy-resized');
    await this.#idle('62-idle-resized');
  }

  /** Returns the keys that go from the pointer of a list to the choice that agrees. */
  async #yes(): Promise<readonly string[]> {
    const rows = (await this.#text()).split('\n');
    const from = rows.findLastIndex((row) => /^[\s│┃]*[❯›▶>●→]\s*\S/u.test(row));
    const options = rows.flatMap((row, at) =>
      /^[\s│┃❯›▶>●→]*\d*[.)]?\s*(?:yes|trust|allow)/iu.test(row) ? at : [],
    );
    const [to = from] = options;
    const steps = rows
      .slice(Math.min(from, to), Math.max(from, to))
      .filter((row) => row.trim() !== '');
    return [...steps.map(() => (to < from ? 'up' : 'down')), 'enter'];
  }

  #isQuiet(): boolean {
    return this.#model.open === 0 && Date.now() - this.#model.changedAtMs > 1_500;
  }

  async #text(): Promise<string> {
    return (await this.#coordinator.screen(this.#session)).text.join('\n');
  }

  /** Waits until the screen stays the same. */
  async #still(): Promise<void> {
    let shown = '';
    let since = Date.now();
    await this.#until('a screen that stands still', async () => {
      const text = await this.#text();
      if (text !== shown) since = Date.now();
      shown = text;
      return text.trim() !== '' && Date.now() - since >= stillMs;
    });
  }

  /** Types keys, each when the agent had time to draw what the one before did. */
  async #oneByOne(keys: readonly string[]): Promise<void> {
    for (const key of keys) {
      await this.#keys([key]);
      await this.#pause(400);
    }
  }

  async #keys(keys: readonly string[]): Promise<void> {
    await this.#coordinator.sendKeys(this.#session, keys);
  }

  async #truth(state: Truth, stage = ''): Promise<void> {
    await this.#coordinator.setMarker(this.#session, `truth ${state} ${stage}`.trim());
    this.truth = { state, stage, sinceMs: Date.now() };
  }

  async #until(what: string, is: () => Promise<boolean>): Promise<void> {
    const endMs = Date.now() + this.#stepMs;
    while (!(await is())) {
      if (Date.now() > endMs)
        throw new Error(`waited too long for ${what}:\n${await this.#text()}`);
      await this.#pause(pollMs);
    }
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => setTimeout(resolve, ms));
  }
}

function isOpen({ shows, answered }: FirstDialog, text: string): boolean {
  const from = shows.exec(text)?.index;
  return from !== undefined && answered?.test(text.slice(from)) !== true;
}

const words = (count: number): string =>
  Array.from({ length: count }, (_, at) => `word${at}${at % 7 === 6 ? '\n' : ' '}`).join('');
