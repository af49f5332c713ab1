// Short commands that the daemon runs for `contrib/quick/vtr.c` and for `vtr` itself, with the code of `vtr`.
import { sanitize, withoutControls } from '#base';
import { type ClientConfig, readClientConfig } from '#config';
import { type CommandCall, VtrError } from '#model';
import { parseArguments } from './arguments/parse-arguments.ts';
import type { Context, InDaemon } from './context.ts';
import { statusOf } from './exit-codes.ts';
import { asOutputIs, withJsonMessages } from './output/messages.ts';
import type { Verb } from './verb.ts';
import { asksForJson } from './verbs/short-verb-names.ts';

/**
 * The verbs that use nothing of their process but what a {@link CommandCall} has. `contrib/quick/vtr.c` has the same
 * list; a verb of one list alone runs with Node.js.
 */
const verbs: Readonly<Record<string, () => Promise<Verb>>> = {
  screen: async () => (await import('./verbs/screen.ts')).screen,
  ls: async () => (await import('./verbs/ls.ts')).ls,
  read: async () => (await import('./verbs/read.ts')).read,
  info: async () => (await import('./verbs/info.ts')).info,
  wait: async () => (await import('./verbs/wait.ts')).wait,
  idle: async () => (await import('./verbs/idle.ts')).idle,
  commands: async () => (await import('./verbs/commands.ts')).commands,
  send: async () => (await import('./verbs/send.ts')).send,
  key: async () => (await import('./verbs/key.ts')).key,
  run: async () => (await import('./verbs/run.ts')).run,
  spawn: async () => (await import('./verbs/spawn.ts')).spawn,
  rm: async () => (await import('./verbs/ending.ts')).rm,
  tmux: async () => (await import('./verbs/tmux.ts')).tmux,
};

export const verbsInDaemon: readonly string[] = Object.keys(verbs);

/** What a daemon knows of itself. */
type Daemon = Pick<Context, 'version' | 'program'> & {
  readonly socket: string;
  /** The state of its program when it started; see `fileState`. */
  readonly programState: string;
};

/** As `RunCommand` of the port. */
export async function runInDaemon(daemon: Daemon, call: CommandCall): Promise<number | null> {
  // After an upgrade, the caller has code that this daemon has not.
  if (call.program !== null && call.program !== daemon.programState) return null;
  const [name = '', ...rest] = call.words;
  const verb = Object.hasOwn(verbs, name) ? await verbs[name]?.() : undefined;
  const input = verb && inputOf(verb, rest);
  // Local times are those of the caller's zone.
  if (!input || call.env['TZ'] !== process.env['TZ']) return null;
  const context = new CallContext(daemon, call);
  const { context: own } = context;
  const shown = await asOutputIs(asksForJson(call.words) ? withJsonMessages(own) : own, verb);
  const status = await statusOf(shown, () => verb.run(shown, input));
  return context.isDeclined ? null : status;
}

/** Returns null for words that the verb does not take: help, what a later version knows, and mistakes. */
function inputOf(verb: Verb, words: readonly string[]): Parameters<Verb['run']>[1] | null {
  // As in runCommand: only its first word can ask for help.
  if (verb.ownWords) return isHelp(words[0] ?? '') ? null : { args: {}, flags: {}, rest: words };
  try {
    const input = parseArguments(verb, words);
    const { watch, follow } = input.flags;
    return watch || follow ? null : input;
  } catch {
    return null;
  }
}

const isHelp = (word: string): boolean => word === '--help' || word === '-h';

/** The surroundings of a verb, as those of its caller. */
class CallContext {
  readonly context: Context;
  isDeclined = false;
  #hasWritten = false;

  constructor({ version, program, socket }: Daemon, call: CommandCall) {
    const { env, cwd, isTerminal, columns, service, pid, ppid, interrupted, flushed } = call;
    const decline = () => this.#decline();
    const inDaemon: InDaemon = { socket, service, pid, ppid, interrupted, decline };
    let config: Promise<ClientConfig> | undefined;
    let endsOpen = false;
    const write = (data: string | Uint8Array) => {
      if (data.length > 0) endsOpen = data.at(-1) !== '\n' && data.at(-1) !== lineFeed;
      this.#write(call.out, typeof data === 'string' ? Buffer.from(data) : data);
    };
    this.context = {
      version,
      program,
      env,
      cwd,
      isTerminal,
      columns,
      flushed,
      inDaemon,
      out: (data) => write(typeof data === 'string' ? withoutControls(data) : data),
      draw: write,
      // The caller ends by itself, which cancels its calls.
      onReaderGone: () => {},
      say: (message) => {
        const lineEnd = endsOpen && call.sharesOutput ? '\n' : '';
        endsOpen = false;
        this.#write(call.err, `${lineEnd}vtr: ${sanitize(message).text}\n`);
      },
      err: (text) => this.#write(call.err, withoutControls(text)),
      readInput: decline,
      config: () => {
        config ??= readClientConfig({ env });
        return config;
      },
    };
  }

  #write<T>(to: (data: T) => void, data: T): void {
    if (this.isDeclined) return;
    this.#hasWritten = true;
    to(data);
  }

  /** What was written would be written twice. */
  #decline(): never {
    if (this.#hasWritten) {
      throw new VtrError('INTERNAL_ERROR', 'the command cannot be continued in another process');
    }
    this.isDeclined = true;
    throw new VtrError('INTERNAL_ERROR', 'the command needs a process of its own');
  }
}

const lineFeed = 0x0a;
