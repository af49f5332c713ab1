import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as delay, setImmediate } from 'node:timers/promises';
import { isatty } from 'node:tty';
import { ignored, sanitize, shellQuoted } from '#base';
import {
  type Address,
  exitClause,
  isAddress,
  isVtrError,
  parseAddress,
  printAddress,
  silentReason,
  VtrError,
  version,
} from '#model';
import { type Greeting, GreetingReader } from './greeting/greeting.ts';
import { sshConfigFile, startForward } from './ssh-forward.ts';
import {
  fallbackCommand,
  type ToolCommand,
  type ToolCommandOptions,
  toolCommand,
} from './tool-command.ts';

/** The environment of a tool. */
export type ToolEnvironment = Readonly<Record<string, string | undefined>>;

export interface ToolOptions {
  /** Starts a daemon there if none runs. Default: false. */
  readonly start?: boolean;
  /** Time until the coordinator is reached, in ms. Default: 30,000; none if the tool may ask a person. */
  readonly connectMs?: number;
  /** Whether ssh may ask a person. Default: whether one can answer here. */
  readonly mayPrompt?: boolean;
  /** Whether ssh forwards a socket for later calls; see `forwardedSocket`. Default: false. */
  readonly forwards?: boolean;
  /** Default: that of this process. */
  readonly env?: ToolEnvironment;
}

/** A connection to a coordinator through another program. */
export interface Tool {
  /** What the coordinator sends. */
  readonly output: Readable;
  /** What is sent to it. */
  readonly input: Writable;
  /** Resolves when the program has ended: to null if it succeeded, else to what it said. */
  readonly ended: Promise<VtrError | null>;
  /** Ends the program. */
  kill(): void;
}

/** What a tool that was started may do. */
export interface StartedTool {
  /** Ends the attempt. */
  readonly kill: () => void;
  /** Whether it may ask a person, who takes any time. */
  readonly mayPrompt: boolean;
}

/** How long a tool may take until the other side answers, in ms. */
export const defaultConnectMs = 30_000;

/** How much of a program's messages is kept, in characters: the last ones say why it ended. */
export const maxWords = 2_000;
/** How long messages may arrive after the end of the program that wrote them, in ms. */
export const lastWordsMs = 200;

/**
 * Starts the program of an address: ssh, docker, podman, kubectl or the given one, found in PATH, with the
 * user's configuration. Resolves when a coordinator is reached.
 *
 * @param onStart called when the program runs
 * @throws VtrError INVALID_ARGUMENT for the address; UNAVAILABLE with the program's own words, and with
 * `reason` ENOENT if only no daemon runs there. Nothing was sent then
 */
export async function openTool(
  text: string,
  {
    start = false,
    forwards = false,
    connectMs,
    mayPrompt = true,
    env = process.env,
  }: ToolOptions = {},
  onStart: (started: StartedTool) => void = () => {},
): Promise<Tool> {
  const address = parseAddress(text);
  const place = printAddress(address);
  const options = { start, ...toolOptions(address, env, mayPrompt) };
  const { mayPrompt: asks } = options;
  const open = async (command: ToolCommand): Promise<Tool> => {
    const running = new Running(await started(place, command, env), place, command);
    onStart({ kill: () => running.kill(), mayPrompt: asks });
    const far = await reached(running, place, connectMs ?? (asks ? null : defaultConnectMs));
    if (forwards && far !== undefined) startForward(address, far, options, env);
    return running;
  };
  const direct = toolCommand(address, options);
  // Over ssh, the first command is already that of a shell.
  if (address.kind === 'ssh') return open(direct);
  return open(direct).catch((error) => {
    if (!hasReason(error, missingReason)) throw error;
    return open(fallbackCommand(address, options)).catch((second) => {
      throw hasReason(second, missingReason, unreachedReason, 'PROTOCOL') ? error : second;
    });
  });
}

/** How ssh is run for an address. @param mayPrompt whether it may ask a person, if one can answer here */
export function toolOptions(
  address: Address,
  env: ToolEnvironment,
  mayPrompt = true,
): ToolCommandOptions {
  const isSsh = address.kind === 'ssh';
  return {
    mayPrompt: isSsh && mayPrompt && mayAskHere(),
    inSession: (env['VTR_SESSION_ID'] ?? '') !== '',
    sshConfig: isSsh ? sshConfigFile({ env }) : null,
  };
}

/**
 * Returns the path of the coordinator's socket on the other side, if it is told.
 *
 * @throws VtrError UNAVAILABLE
 */
async function reached(
  running: Running,
  place: string,
  limitMs: number | null,
): Promise<string | undefined> {
  const greeting = await running.greeting(limitMs);
  if ('error' in greeting) {
    const { message, reason } = greeting.error;
    running.kill();
    const isNone = reason === notRunningReason;
    throw unreachable(
      place,
      isNone ? `no coordinator runs at ${place}` : `${place} cannot be reached: ${message}`,
      reason,
    );
  }
  if (majorOf(greeting.version) !== majorOf(version)) {
    running.kill();
    const message = `${place} has vtr ${greeting.version}, and this is vtr ${version}; they need the same major version`;
    throw unreachable(place, message, 'VERSION');
  }
  return greeting.socket;
}

/** Starts a tool. @throws VtrError UNAVAILABLE if the program cannot be started */
export async function started(
  place: string,
  { program, args }: ToolCommand,
  env: ToolEnvironment,
): Promise<ChildProcessWithoutNullStreams> {
  const { VTR_SOCKET: socket = '', ...others } = env;
  let failure: Error;
  try {
    // Inherited, an address would lead the other side back to this one.
    const child = spawn(program, args, { env: isAddress(socket) ? others : env });
    // Without files for pipes, the process has no streams, and the failure is an event.
    if (child.stdout !== undefined) return child;
    [failure] = await once(child, 'error');
  } catch (error) {
    failure = error as Error;
  }
  throw unreachable(place, `${place} cannot be reached: ${failure.message}`, 'UNREACHABLE');
}

/**
 * Whether a coordinator answers at an address.
 *
 * @returns false if only no daemon runs there
 * @throws VtrError INVALID_ARGUMENT, UNAVAILABLE
 */
export async function reaches(address: string, options: ToolOptions = {}): Promise<boolean> {
  try {
    (await openTool(address, options)).kill();
    return true;
  } catch (error) {
    if (hasReason(error, notRunningReason)) return false;
    throw error;
  }
}

const notRunningReason = 'ENOENT';
/** There is no command `vtr` there. */
const missingReason = 'MISSING';
const unreachedReason = 'UNREACHABLE';

const hasReason = (error: unknown, ...reasons: readonly string[]): boolean =>
  isVtrError(error) && reasons.includes(String(error.details['reason']));

/** A person can answer; but not while a program of ours has the terminal for itself. */
const mayAskHere = (): boolean =>
  isatty(0) && isatty(2) && !(process.stdin.isTTY && process.stdin.isRaw);

const majorOf = (text: string): string => text.split('.', 1)[0] ?? '';

/** The failure of a connection that was not made. */
export const unreachable = (place: string, message: string, reason: string): VtrError =>
  new VtrError('UNAVAILABLE', message, { details: { socket: place, reason, sent: 'no' } });

class Running implements Tool {
  readonly ended: Promise<VtrError | null>;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #place: string;
  readonly #command: ToolCommand;
  #words = '';
  #isReached = false;
  #isKilled = false;

  constructor(child: ChildProcessWithoutNullStreams, place: string, command: ToolCommand) {
    this.#child = child;
    this.#place = place;
    this.#command = command;
    child.stderr.on('data', (chunk: Buffer) => {
      this.#words = `${this.#words}${chunk}`.slice(-maxWords);
    });
    // The end of the program says why its input is closed.
    child.stdin.on('error', () => {});
    child.stderr.on('error', () => {});
    // Nothing more can be read: the connection is over.
    child.stdout.on('error', ({ message }) => {
      this.#words = message;
      this.kill();
    });
    // Such as of a program that may not be signalled.
    child.on('error', () => {});
    this.ended = this.#end();
  }

  get output(): Readable {
    return this.#child.stdout;
  }

  get input(): Writable {
    return this.#child.stdin;
  }

  kill(): void {
    if (this.#isKilled) return;
    this.#isKilled = true;
    const { stdin, stdout, stderr } = this.#child;
    for (const each of [stdin, stdout, stderr]) each.destroy();
    // One of another user, as with sudo, ends with its input.
    this.#child.kill();
  }

  /** Reads up to the greeting. @throws VtrError UNAVAILABLE */
  async greeting(limitMs: number | null): Promise<Greeting> {
    const { stdout } = this.#child;
    const reader = new GreetingReader();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      if (limitMs === null) return;
      const message = `${this.#place} cannot be reached: no answer within ${limitMs / 1_000} s`;
      timer = setTimeout(() => reject(unreachable(this.#place, message, 'TIMEOUT')), limitMs);
    });
    const ended = this.ended.then(async (failure) => {
      if (failure !== null) throw failure;
      // What it has printed can arrive after its end.
      await closed(stdout);
      throw this.#noGreeting(reader.noise);
    });
    ignored(ended, 'the greeting may come first');
    const answer = new Promise<Greeting>((resolve, reject) => {
      stdout.on('data', (chunk: Buffer) => {
        const result = reader.push(chunk);
        if (result === 'none') reject(this.#noGreeting(reader.noise));
        if (result === null || result === 'none') return;
        stdout.removeAllListeners('data').pause();
        if (result.rest.length > 0) stdout.unshift(result.rest);
        this.#isReached = true;
        resolve(result.greeting);
      });
    });
    try {
      const greeting = await Promise.race([answer, ended, late]);
      // A login prints a banner, which says nothing about a later end. It may be read right after the greeting.
      await setImmediate();
      this.#words = '';
      return greeting;
    } catch (error) {
      this.kill();
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  #noGreeting(noise: string): VtrError {
    const said = wordsOf(noise.slice(-maxWords));
    const what = said === '' ? 'nothing' : JSON.stringify(said);
    const message = `${this.#place} cannot be reached: vtr connect does not answer there; ${this.#command.program} printed ${what}`;
    return unreachable(this.#place, message, 'PROTOCOL');
  }

  async #end(): Promise<VtrError | null> {
    const { program } = this.#command;
    const child = this.#child;
    const [status, signal] = await new Promise<[number | null, string | null]>((resolve) => {
      child.once('exit', (...end) => resolve(end));
      child.once('error', (error: NodeJS.ErrnoException) => {
        this.#words = startText(program, error);
        resolve([null, null]);
      });
    });
    if (status === 0 || this.#isKilled) {
      child.stderr.destroy();
      return null;
    }
    await this.#lastWords();
    const words = wordsOf(this.#words) || `${program} ${exitClause({ code: status, signal })}`;
    if (this.#isReached) {
      const message = `the connection to ${this.#place} is broken: ${words}`;
      return new VtrError('UNAVAILABLE', message, {
        details: { socket: this.#place, reason: this.#reasonOf(words) },
      });
    }
    const isMissing = status === 127 || /executable file not found/.test(words);
    const hint = isMissing ? `; copy vtr there with vtr install ${shellQuoted(this.#place)}` : '';
    const message = `${this.#place} cannot be reached: ${words}${hint}`;
    return unreachable(this.#place, message, isMissing ? missingReason : unreachedReason);
  }

  /** A process that outlives the program, such as a shared connection of ssh, may hold its streams. */
  async #lastWords(): Promise<void> {
    const { stdout, stderr } = this.#child;
    await Promise.race([
      Promise.all([stdout, stderr].map(closed)),
      delay(lastWordsMs, undefined, { ref: false }),
    ]);
    stderr.destroy();
    stdout.destroy();
  }

  /** `vtr connect` ends when the coordinator there stops to respond. */
  #reasonOf(words: string): string {
    return /does not respond/.test(words) ? silentReason : 'DISCONNECTED';
  }
}

/** Resolves when a stream is closed. */
export const closed = (stream: Readable): Promise<void> =>
  new Promise((resolve) => {
    if (stream.closed) resolve();
    else stream.once('close', () => resolve());
  });

/** What a program said, in one line, without the name of the command on the other side. */
export const wordsOf = (text: string): string =>
  sanitize(text)
    .text.split('\n')
    .map((line) => line.trim().replace(/^vtr: /, ''))
    .filter((line) => line !== '')
    .join('; ');

/** Says why a program did not start. */
export const startText = (program: string, { code, message }: NodeJS.ErrnoException): string =>
  code === 'ENOENT' ? `${program} is not installed` : message;
