import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { isatty } from 'node:tty';
import { sanitize } from '#base';
import { isAddress, parseAddress, printAddress, silentReason, VtrError, version } from '#model';
import { type Greeting, GreetingReader } from './greeting.ts';
import { sshConfigFile } from './ssh-config.ts';
import { type ToolCommand, toolCommand } from './tool-command.ts';

export interface ToolOptions {
  /** Starts a daemon there if none runs. Default: false. */
  readonly start?: boolean;
  /** Time until the coordinator is reached, in ms. Default: 30,000; none if the tool may ask a person. */
  readonly connectMs?: number;
  /** Default: that of this process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
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

const defaultConnectMs = 30_000;

/** How much of a program's messages is kept, in characters: the last ones say why it ended. */
const maxWords = 2_000;
/** How long messages may arrive after the end of the program that wrote them, in ms. */
const lastWordsMs = 200;

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
  const place = printAddress(address);
  const mayPrompt = mayAskHere();
  const { VTR_SOCKET: socket = '', ...others } = env;
  const command = toolCommand(address, {
    ...{ start, mayPrompt },
    sshConfig: address.kind === 'ssh' ? sshConfigFile({ env }) : null,
  });
  // Inherited, an address would lead the other side back to this one.
  const child = started(place, command, isAddress(socket) ? others : env);
  const running = new Running(child, place, command);
  onStart(() => running.kill());
  const limitMs = connectMs ?? (mayPrompt && address.kind === 'ssh' ? null : defaultConnectMs);
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

/** @throws VtrError UNAVAILABLE where Node throws: some failures are events */
function started(
  place: string,
  { program, args }: ToolCommand,
  env: NodeJS.ProcessEnv,
): ChildProcessWithoutNullStreams {
  try {
    return spawn(program, args, { env });
  } catch (error) {
    const message = `${place} cannot be reached: ${(error as Error).message}`;
    throw unreachable(place, message, 'UNREACHABLE');
  }
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
    if (error instanceof VtrError && error.details['reason'] === notRunningReason) return false;
    throw error;
  }
}

const notRunningReason = 'ENOENT';

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
      const message = `${this.#place} cannot be reached: no answer within ${limitMs / 1_000} s`;
      timer = setTimeout(() => reject(unreachable(this.#place, message, 'TIMEOUT')), limitMs);
    });
    const ended = this.ended.then((failure) => {
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
    const message = `${this.#place} cannot be reached: vtr connect does not answer there; ${this.#command.program} printed ${what}`;
    return unreachable(this.#place, message, 'PROTOCOL');
  }

  async #end(): Promise<VtrError | null> {
    const { program } = this.#command;
    const child = this.#child;
    const [status, signal] = await new Promise<[number | null, string | null]>((resolve) => {
      child.once('exit', (...end) => resolve(end));
      child.once('error', (error: NodeJS.ErrnoException) => {
        this.#words = error.code === 'ENOENT' ? `${program} is not installed` : error.message;
        resolve([null, null]);
      });
    });
    if (status === 0 || this.#isKilled) return null;
    if (!child.stderr.readableEnded) {
      await Promise.race([
        once(child.stderr, 'end'),
        delay(lastWordsMs, undefined, { ref: false }),
      ]);
    }
    const words = wordsOf(this.#words) || endText(program, status, signal);
    if (this.#isReached) {
      const message = `the connection to ${this.#place} is broken: ${words}`;
      return new VtrError('UNAVAILABLE', message, {
        details: { socket: this.#place, reason: this.#reasonOf(words) },
      });
    }
    const isMissing = status === 127 || /executable file not found/.test(words);
    const hint = isMissing ? '; vtr has to be installed there, and be in the PATH' : '';
    return unreachable(
      this.#place,
      `${this.#place} cannot be reached: ${words}${hint}`,
      'UNREACHABLE',
    );
  }

  /** `vtr connect` ends when the coordinator there stops to respond. */
  #reasonOf(words: string): string {
    return /does not respond/.test(words) ? silentReason : 'DISCONNECTED';
  }
}

/** What a program said, in one line, without the name of the command on the other side. */
export const wordsOf = (text: string): string =>
  sanitize(text)
    .text.split('\n')
    .map((line) => line.trim().replace(/^vtr: /, ''))
    .filter((line) => line !== '')
    .join('; ');

/** Says how a program ended that said nothing. */
export const endText = (program: string, status: number | null, signal: string | null): string =>
  signal === null ? `${program} ended with status ${status}` : `${program} was ended by ${signal}`;
