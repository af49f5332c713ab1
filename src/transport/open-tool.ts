import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { shellQuoted } from '#base';
import { parseAddress, printAddress, silentReason, VtrError, version } from '#model';
import { type Greeting, GreetingReader } from './greeting.ts';
import { fallbackCommand, type ToolCommand, toolCommand } from './tool-command.ts';
import {
  connectLimitMs,
  endText,
  lastWords,
  maxWords,
  startText,
  startTool,
  type ToolEnvironment,
  toolOptions,
  unreachable,
  wordsOf,
} from './tool-words.ts';

export interface ToolOptions {
  /** Starts a daemon there if none runs. Default: false. */
  readonly start?: boolean;
  /** Time until the coordinator is reached, in ms. Default: 30,000; none if the tool may ask a person. */
  readonly connectMs?: number;
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

/**
 * Starts the program of an address: ssh, docker, podman, kubectl or the given one, found in PATH, with the
 * user's configuration. Resolves when a coordinator is reached.
 *
 * @param onStart called with a function that ends the attempt
 * @throws VtrError INVALID_ARGUMENT for the address; UNAVAILABLE with the program's own words, and with
 * `reason` ENOENT if only no daemon runs there. Nothing was sent then
 */
export async function openTool(
  given: string,
  { start = false, connectMs, env = process.env }: ToolOptions = {},
  onStart: (kill: () => void) => void = () => {},
): Promise<Tool> {
  const address = parseAddress(given);
  const options = { start, ...toolOptions(address, env) };
  const place = printAddress(address);
  const open = async (command: ToolCommand) => {
    const child = startTool(place, command, env);
    const running = new Running(child, place, command);
    onStart(() => running.kill());
    return reached(running, connectMs ?? connectLimitMs(address, options));
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

/** @throws VtrError UNAVAILABLE */
async function reached(running: Running, limitMs: number | null): Promise<Tool> {
  const { place } = running;
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
  return running;
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
  error instanceof VtrError && reasons.includes(String(error.details['reason']));

const majorOf = (text: string): string => text.split('.', 1)[0] ?? '';

class Running implements Tool {
  readonly place: string;
  readonly ended: Promise<VtrError | null>;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #command: ToolCommand;
  #words = '';
  #isReached = false;
  #isKilled = false;

  constructor(child: ChildProcessWithoutNullStreams, place: string, command: ToolCommand) {
    this.#child = child;
    this.place = place;
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
      child.kill();
    });
    this.ended = this.#end();
  }

  get output(): Readable {
    return this.#child.stdout;
  }

  get input(): Writable {
    return this.#child.stdin;
  }

  kill(): void {
    this.#isKilled = true;
    this.#child.stdin.destroy();
    this.#child.stdout.destroy();
    this.#child.kill();
  }

  /** Reads up to the greeting. @throws VtrError UNAVAILABLE */
  async greeting(limitMs: number | null): Promise<Greeting> {
    const { stdout } = this.#child;
    const reader = new GreetingReader();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      if (limitMs === null) return;
      const message = `${this.place} cannot be reached: no answer within ${limitMs / 1_000} s`;
      timer = setTimeout(() => reject(unreachable(this.place, message, 'TIMEOUT')), limitMs);
    });
    // What it has printed can arrive after its end.
    const closed = new Promise((resolve) => stdout.once('close', resolve));
    const ended = this.ended.then(async (failure) => {
      await closed;
      if (failure !== null) throw failure;
      throw this.#noGreeting(reader.noise);
    });
    ended.catch(() => {});
    const found = new Promise<Greeting>((resolve, reject) => {
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
      return await Promise.race([found, ended, late]);
    } catch (error) {
      this.kill();
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  #noGreeting(noise: string): VtrError {
    const said = wordsOf(noise);
    const what = said === '' ? 'nothing' : JSON.stringify(said);
    const message = `${this.place} cannot be reached: vtr connect does not answer there; ${this.#command.program} printed ${what}`;
    return unreachable(this.place, message, 'PROTOCOL');
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
    if (status === 0 || this.#isKilled) return null;
    await lastWords(child.stderr);
    const words = wordsOf(this.#words) || endText(program, status, signal);
    if (this.#isReached) {
      const message = `the connection to ${this.place} is broken: ${words}`;
      return new VtrError('UNAVAILABLE', message, {
        details: { socket: this.place, reason: this.#reasonOf(words) },
      });
    }
    const isMissing = status === 127 || /executable file not found/.test(words);
    const hint = isMissing ? `; copy vtr there with vtr install ${shellQuoted(this.place)}` : '';
    const message = `${this.place} cannot be reached: ${words}${hint}`;
    return unreachable(this.place, message, isMissing ? missingReason : unreachedReason);
  }

  /** `vtr connect` ends when the coordinator there stops to respond. */
  #reasonOf(words: string): string {
    return /does not respond/.test(words) ? silentReason : 'DISCONNECTED';
  }
}
