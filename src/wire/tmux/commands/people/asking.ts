import { defined, ignored } from '#base';
import type { AttachedClient } from '../../state/attached-client.ts';
import type {
  ClientTerminal,
  MenuItem,
  PromptKind,
  PromptRequest,
} from '../../state/client-terminal.ts';
import type { Target } from '../../target/target.ts';
import { TmuxError } from '../../tmux-error.ts';
import type { Arguments } from '../../words/arguments.ts';
import { type Call, type Command, type Commands, many } from '../call.ts';
import { clientOf } from './clients.ts';
import { placeOf } from './places.ts';

/** A command that asks a person at a terminal. For a client in control mode it fails: nobody would answer. */
const asking = (
  row: Omit<Command, 'run'>,
  clientFlag: string,
  ask: (
    call: Call,
    args: Arguments,
    terminal: ClientTerminal,
    client: AttachedClient,
  ) => Promise<void>,
): Command => ({
  ...row,
  waits: true,
  run: (call, args) => {
    const client = clientOf(call, args, clientFlag);
    const { terminal } = client;
    if (terminal !== null) return ask(call, args, terminal, client);
    throw new TmuxError(
      `vtr does not support ${args.command} for a client in control mode: run the command`,
    );
  },
});

export const askingCommands = {
  'command-prompt': asking(
    {
      usage: '[-1bFkiN] [-I inputs] [-p prompts] [-t target-client] [-T type] [template]',
      words: [0, 1],
    },
    't',
    commandPrompt,
  ),
  'confirm-before': asking(
    {
      usage: '[-b] [-p prompt] [-t target-client] command',
      words: [1, 1],
    },
    't',
    confirmBefore,
  ),
  'display-menu': asking(
    {
      usage:
        '[-O] [-c target-client] [-t target-pane] [-T title] [-x position] [-y position] name key command ...',
      words: [1, many],
    },
    'c',
    displayMenu,
  ),
  'display-panes': {
    usage: '[-bN] [-d duration] [-t target-client] [template]',
    words: [0, 1],
    waits: true,
    run: displayPanes,
  },
} satisfies Commands;

/** Waits for an act, or lets it go on in the background. */
async function actOrLeave(
  call: Call,
  isInBackground: boolean,
  act: (as: Call) => Promise<void>,
): Promise<void> {
  if (isInBackground) void call.inBackground(act);
  else await act(call);
}

const kinds: readonly PromptKind[] = ['command', 'search', 'target', 'window-target'];

/** @throws TmuxError */
function kindOf(args: Arguments): PromptKind {
  const value = args.value('T') ?? 'command';
  const kind = kinds.find((each) => each === value);
  if (kind === undefined) throw new TmuxError(`unknown type: ${value}`);
  return kind;
}

const takesOf = (args: Arguments): PromptRequest['takes'] => {
  if (args.has('1')) return 'character';
  if (args.has('N')) return 'number';
  if (args.has('i')) return 'incremental';
  return args.has('k') ? 'key' : 'text';
};

async function commandPrompt(call: Call, args: Arguments, terminal: ClientTerminal): Promise<void> {
  const target = call.targets.current();
  const kind = kindOf(args);
  const takes = takesOf(args);
  const [template = '%1'] = args.words;
  const prompts = promptsOf(args);
  const inputs = args.value('I')?.split(',') ?? [];
  const run = async (as: Call, answers: readonly string[]) => {
    const text = filledIn(template, answers);
    await as.runner.runText(args.has('F') ? await as.expand(text, target) : text, as);
  };
  await actOrLeave(call, args.has('b') || takes === 'incremental', async (as) => {
    const answers: string[] = [];
    // One after the other: an incremental search goes on where the one before it has ended.
    let last = Promise.resolve();
    const changed = (text: string) => {
      last = ignored(
        last.then(() => run(as, [text])),
        'a pattern may not be whole yet',
      );
    };
    for (const [at, prompt] of prompts.entries()) {
      const answer = await terminal.ask({
        text: await as.expand(prompt, target),
        input: await as.expand(inputs[at] ?? '', target),
        kind,
        takes,
        ...defined({ changed: takes === 'incremental' ? changed : undefined }),
      });
      await last;
      if (answer === null) return;
      answers.push(answer);
    }
    if (takes !== 'incremental') await run(as, answers);
  });
}

/** The prompts of a command, as tmux shows them. */
function promptsOf(args: Arguments): readonly string[] {
  const prompt = args.value('p');
  if (prompt !== undefined) return prompt.split(',').map((each) => `${each} `);
  const [template] = args.words;
  if (template === undefined) return [':'];
  const [command = ''] = template.trim().split(/\s/);
  return [`(${command}) `];
}

/**
 * Puts answers into a template: `%%` and `%1` are the first, `%2` the second. Between quotes, what would end them is
 * escaped, so that an answer stays one word.
 */
export function filledIn(template: string, answers: readonly string[]): string {
  let result = '';
  let quote = '';
  for (let at = 0; at < template.length; ) {
    const [mark = '', digit] = /^%(?:%%?|([1-9]))/.exec(template.slice(at)) ?? [];
    const answer = answers[digit === undefined ? 0 : Number(digit) - 1];
    if (mark !== '' && (digit === undefined || answer !== undefined)) {
      const isEscaped = quote === '"' || mark === '%%%';
      if (quote === "'") result += (answer ?? '').replaceAll("'", `'\\''`);
      else result += isEscaped ? (answer ?? '').replace(/["\\$;~]/g, '\\$&') : (answer ?? '');
      at += mark.length;
      continue;
    }
    const character = template[at] ?? '';
    if (character === '\\' && quote !== "'") {
      result += template.slice(at, at + 2);
      at += 2;
      continue;
    }
    if (quote === '' && (character === '"' || character === "'")) quote = character;
    else if (character === quote) quote = '';
    result += character;
    at++;
  }
  return result;
}

async function confirmBefore(call: Call, args: Arguments, terminal: ClientTerminal): Promise<void> {
  const [command = ''] = args.words;
  const target = call.targets.current();
  const [name = ''] = command.trim().split(/\s/);
  const prompt = args.value('p') ?? `Confirm '${name}'? (y/n)`;
  await actOrLeave(call, args.has('b'), async (as) => {
    const answer = await terminal.ask({
      text: `${await as.expand(prompt, target)} `,
      input: '',
      kind: 'command',
      takes: 'character',
    });
    if (answer?.toLowerCase() === 'y') await as.runner.runText(command, as);
    else as.output.status = 1;
  });
}

async function displayMenu(
  call: Call,
  args: Arguments,
  terminal: ClientTerminal,
  client: AttachedClient,
): Promise<void> {
  const target = call.target(args, 'pane');
  const items = await menuItems(call, args.words, target);
  if (items.length === 0) return;
  const title = await call.expand(args.value('T') ?? '', target);
  const chosen = await terminal.choose({
    title,
    items,
    place: await placeOf(call, args, { client, target }),
    isByMouse: terminal.mouse !== null,
  });
  if (chosen === null) return;
  call.makeCurrent(target);
  await call.runner.runText(chosen.commands, call);
}

/** @throws TmuxError */
async function menuItems(
  call: Call,
  words: readonly string[],
  target: Target,
): Promise<readonly (MenuItem | null)[]> {
  const items: (MenuItem | null)[] = [];
  for (let at = 0; at < words.length; ) {
    const name = words[at++] ?? '';
    if (name === '') {
      items.push(null);
      continue;
    }
    const [key, commands] = [words[at++], words[at++]];
    if (key === undefined || commands === undefined) throw new TmuxError('not enough arguments');
    const shown = await call.expand(name, target);
    if (shown === '') continue;
    const expanded = await call.expand(commands, target);
    items.push({ name: shown, key, commands: expanded });
  }
  const first = items.findIndex((item) => item !== null);
  return first === -1 ? [] : items.slice(first);
}

async function displayPanes(call: Call, args: Arguments): Promise<void> {
  const client = clientOf(call, args, 't');
  const { terminal, session } = client;
  // A client in control mode does not show them.
  if (terminal === null) return;
  const ms = args.number('d', 0, 2_147_483_647) ?? session.options.number('display-panes-time');
  const template = args.words[0] ?? 'select-pane -t "%%"';
  await actOrLeave(call, args.has('b'), async (as) => {
    const pane = await terminal.choosePane(ms, !args.has('N'));
    if (pane !== null) await as.runner.runText(filledIn(template, [`%${pane.id}`]), as);
  });
}
