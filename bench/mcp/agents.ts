import { setTimeout } from 'node:timers/promises';
import { TmuxWindow } from '../measuring/tmux-window.ts';
import { ServerProcess, shownToModel } from './server-process.ts';
import { type Place, vtrServer } from './servers.ts';

/** One call of an agent: the text that its model writes, and the text that it reads. */
export interface AgentCall {
  readonly written: string;
  readonly read: string;
}

type Fields = Readonly<Record<string, unknown>>;

/** An agent with the tools of `vtr mcp`. */
export class VtrAgent {
  readonly calls: AgentCall[] = [];
  /** The characters of each answer to a send with a read, without those of the terminal's text. */
  readonly overheads: number[] = [];
  readonly #server: ServerProcess;

  private constructor(server: ServerProcess) {
    this.#server = server;
  }

  static async start(place: Place, flags: readonly string[]): Promise<VtrAgent> {
    return new VtrAgent(await ServerProcess.start(vtrServer(place, ['--embedded', ...flags])));
  }

  /** Returns the structured answer of a tool, whose name is given without its prefix. */
  async call(tool: string, args: Fields): Promise<Fields> {
    const name = `terminal__${tool}`;
    const result = await this.#server.call(name, args);
    const read = shownToModel(result);
    this.calls.push({ written: `${name} ${JSON.stringify(args)}`, read });
    return result.structuredContent ?? {};
  }

  async create(args: Fields): Promise<string> {
    return String((await this.call('create_session', args))['session_id']);
  }

  /** Sends input and reads the result in one call. @throws Error unless the text matches */
  async send(args: Fields, read: Fields, expected: RegExp): Promise<void> {
    const answer = await this.call('send', { ...args, read });
    const { content = '' } = answer['read_result'] as { readonly content?: string };
    if (!expected.test(content)) throw new Error(`${content} does not match ${expected}`);
    this.overheads.push(JSON.stringify(answer).length - content.length);
  }

  stop(): Promise<void> {
    return this.#server.stop();
  }
}

/** The time between two polls of the screen. */
const pollMs = 200;
/** A script that waits for longer is wrong. */
const maxPolls = 100;

/** An agent with tmux, whose scripts send keys and poll the screen. */
export class TmuxAgent {
  readonly calls: AgentCall[] = [];
  readonly #window: TmuxWindow;

  private constructor(window: TmuxWindow) {
    this.#window = window;
  }

  static async start(command: readonly string[], place: Place): Promise<TmuxAgent> {
    const env = { HOME: place.directory, SHELL: '/bin/bash' };
    const window = await TmuxWindow.start({ cols: 80, rows: 24 }, command, env);
    const agent = new TmuxAgent(window);
    agent.calls.push({ written: `tmux new-session -d ${command.join(' ')}`, read: '' });
    return agent;
  }

  async tmux(...words: readonly string[]): Promise<string> {
    const read = await this.#window.tmux(...words);
    this.calls.push({ written: `tmux ${words.join(' ')}`, read });
    return read;
  }

  /** Types a line and polls until the screen matches. */
  async send(keys: readonly string[], expected: RegExp, target = ':0'): Promise<void> {
    await this.tmux('send-keys', '-t', target, ...keys);
    await this.until(expected, target);
  }

  /** Captures the screen every 200 ms until it matches. @throws Error when it never does */
  async until(expected: RegExp, target = ':0'): Promise<void> {
    for (let poll = 0; poll < maxPolls; poll++) {
      await setTimeout(pollMs);
      if (expected.test(await this.tmux('capture-pane', '-p', '-t', target))) return;
    }
    throw new Error(`the screen never matches ${expected}`);
  }

  stop(): Promise<void> {
    return this.#window.stop();
  }
}
