import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { decodeUtf8 } from '#base';
import { type ExitStatus, exitClause, parseAddress, printAddress, VtrError } from '#model';
import {
  closed,
  defaultConnectMs,
  lastWordsMs,
  maxWords,
  started,
  startText,
  type ToolEnvironment,
  toolOptions,
  unreachable,
  wordsOf,
} from './open-tool.ts';
import { scriptCommand } from './tool-command.ts';

/** A script that has ended. */
export interface RanThere {
  readonly status: number;
  /** What it printed, without what shells print before. */
  readonly output: string;
  /** Its messages, in one line. */
  readonly words: string;
}

export interface RunThereOptions {
  /** Its stdin. Default: empty. */
  readonly input?: Uint8Array;
  /** Default: that of this process. */
  readonly env?: ToolEnvironment;
  /** The most that it may print to stdout, in bytes. Default: 1 MiB. */
  readonly maxBytes?: number;
  /** Whether ssh may ask a person. Default: whether one can answer here. */
  readonly mayPrompt?: boolean;
}

/** Lines around the output: shells print greetings before it, and a connection can break in it. */
const begins = 'vtr-begins';
const ends = 'vtr-ends';

/** The usual most of stdout, and that of stderr, in bytes: the other side may be any program. */
const maxOutputBytes = 1024 * 1024;

/**
 * Runs a script of sh on the machine or in the container of an address.
 *
 * @param text an address; its socket is not used
 * @throws VtrError INVALID_ARGUMENT for the address; UNAVAILABLE with the tool's own words if the script did not
 * start there or did not end
 */
export async function runThere(
  text: string,
  script: string,
  {
    input = new Uint8Array(),
    env = process.env,
    maxBytes = maxOutputBytes,
    mayPrompt = true,
  }: RunThereOptions = {},
): Promise<RanThere> {
  const printed: Buffer[] = [];
  const marked = `echo ${begins}; (${script}\n); printf '\\n${ends} %s\\n' "$?"`;
  const { child, ...tool } = await startedThere(text, marked, { env, mayPrompt });
  child.stdin.end(input);
  const over = await ended(child, tool.limitMs, maxBytes, (chunk) => {
    printed.push(chunk);
    return chunk.includes(begins);
  });
  const all = decodeUtf8(Buffer.concat(printed));
  const [, output, status] = pattern.exec(all) ?? [];
  if (output !== undefined) return { status: Number(status), output, words: wordsOf(over.words) };
  throw failure(tool, over, hasBegun.test(all));
}

export interface FollowThereOptions extends Pick<RunThereOptions, 'env' | 'mayPrompt'> {
  /** Ends the script, there too. */
  readonly signal: AbortSignal;
  /** Takes each line that the script prints, without its line feed. */
  readonly onLine: (line: string) => void;
}

/**
 * Runs a script of sh as {@link runThere} does, and takes its output as it comes. The script must not read its input,
 * and must run its last program by `exec`.
 *
 * @returns null if `signal` was aborted
 * @throws VtrError as {@link runThere}
 */
export async function followThere(
  text: string,
  script: string,
  { env = process.env, mayPrompt = true, signal, onLine }: FollowThereOptions,
): Promise<Omit<RanThere, 'output'> | null> {
  // The tool ends its connection without a signal to the script, which the end of its input reaches.
  const marked = `echo ${begins}; exec 3<&0
(${script}
) </dev/null & vtr_script=$!
(cat <&3; kill "$vtr_script") >/dev/null 2>&1 & vtr_watch=$!
wait "$vtr_script"; vtr_status=$?; kill "$vtr_watch"; printf '\n${ends} %s\n' "$vtr_status"`;
  const { child, ...tool } = await startedThere(text, marked, { env, mayPrompt });
  const timers: NodeJS.Timeout[] = [];
  const stop = () => {
    child.stdin.end();
    timers.push(setTimeout(() => child.kill('SIGKILL'), endMs));
  };
  if (signal.aborted) stop();
  else signal.addEventListener('abort', stop, { once: true });
  const lines = new LinesOfScript(onLine);
  const over = await ended(child, tool.limitMs, Number.POSITIVE_INFINITY, (chunk) => {
    lines.push(chunk);
    return lines.hasBegun;
  });
  signal.removeEventListener('abort', stop);
  for (const timer of timers) clearTimeout(timer);
  if (signal.aborted) return null;
  if (lines.status !== null) return { status: lines.status, words: wordsOf(over.words) };
  throw failure(tool, over, lines.hasBegun);
}

/** How long a tool may take to end its connection, in ms. */
const endMs = 2_000;

/** A longer line is not of a script that is followed, in UTF-16 code units. */
const maxLine = 16 * 1024 * 1024;

/** What a script prints, line by line. */
class LinesOfScript {
  readonly #onLine: (line: string) => void;
  readonly #decoder = new TextDecoder();
  #rest = '';
  hasBegun = false;
  /** That of the script; null while it runs. */
  status: number | null = null;

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine;
  }

  push(chunk: Uint8Array): void {
    const lines = `${this.#rest}${this.#decoder.decode(chunk, { stream: true })}`.split('\n');
    this.#rest = (lines.pop() ?? '').slice(-maxLine);
    for (const line of lines) this.#take(line);
  }

  #take(line: string): void {
    const [, status] = endLine.exec(line) ?? [];
    if (!this.hasBegun) this.hasBegun = line === begins;
    else if (status !== undefined) this.status = Number(status);
    else if (line !== '' && this.status === null) this.#onLine(line);
  }
}

const endLine = new RegExp(`^${ends} (\\d+)$`);

interface StartedThere {
  readonly child: ChildProcessWithoutNullStreams;
  /** The address. */
  readonly place: string;
  readonly program: string;
  /** For the first line of the script, in ms; null: none. */
  readonly limitMs: number | null;
}

/** @throws VtrError INVALID_ARGUMENT for the address; UNAVAILABLE if the tool is not installed */
async function startedThere(
  text: string,
  script: string,
  { env, mayPrompt }: { readonly env: ToolEnvironment; readonly mayPrompt: boolean },
): Promise<StartedThere> {
  const address = parseAddress(text);
  const place = printAddress(address);
  const options = toolOptions(address, env, mayPrompt);
  const command = scriptCommand(address, script, options);
  const child = await started(place, command, env);
  // A script that fails does not read to the end.
  child.stdin.on('error', () => {});
  const limitMs = options.mayPrompt ? null : defaultConnectMs;
  return { child, place, program: command.program, limitMs };
}

/** The error for a script that did not start or did not end there. */
function failure(
  { place, program }: Omit<StartedThere, 'child'>,
  { words, end, givenUp }: Ended,
  isBroken: boolean,
): VtrError {
  const why =
    givenUp ??
    (wordsOf(words) ||
      (end instanceof Error ? startText(program, end) : `${program} ${exitClause(end)}`));
  if (isBroken) {
    const details = { socket: place, reason: 'DISCONNECTED' };
    return new VtrError('UNAVAILABLE', `the connection to ${place} is broken: ${why}`, { details });
  }
  return unreachable(place, `${place} cannot be reached: ${why}`, 'UNREACHABLE');
}

const hasBegun = new RegExp(`${begins}\n`);
const pattern = new RegExp(`${begins}\n(.*)\n${ends} (\\d+)\n`, 's');

interface Ended {
  readonly words: string;
  /** The tool's status and signal, or why it did not start. */
  readonly end: ExitStatus | NodeJS.ErrnoException;
  /** Why its end was not awaited; null if it was. */
  readonly givenUp: string | null;
}

/**
 * @param limitMs for the first line of the script; null: none
 * @param maxBytes of stdout
 * @param onOutput takes what is printed, and returns whether the first line is in it
 */
async function ended(
  child: ChildProcessWithoutNullStreams,
  limitMs: number | null,
  maxBytes: number,
  onOutput: (chunk: Buffer) => boolean,
): Promise<Ended> {
  let words = '';
  let givenUp: string | null = null;
  // Processes that it has started can keep its streams open, go on printing, and ignore signals.
  const giveUp = (why: string) => {
    givenUp ??= why;
    child.stdout.destroy();
    child.stderr.destroy();
    child.kill('SIGKILL');
  };
  const timer =
    limitMs === null ? undefined : setTimeout(() => giveUp('no answer in time'), limitMs);
  const limited = (name: string, limit: number, take: (chunk: Buffer) => void) => {
    let bytes = 0;
    return (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= limit) take(chunk);
      else giveUp(`it printed more than ${limit / 1024 / 1024} MiB to ${name}`);
    };
  };
  const take = (chunk: Buffer) => {
    if (onOutput(chunk)) clearTimeout(timer);
  };
  child.stdout.on('data', limited('stdout', maxBytes, take));
  const takeWords = (chunk: Buffer) => {
    words = `${words}${chunk}`.slice(-maxWords);
  };
  child.stderr.on('data', limited('stderr', maxOutputBytes, takeWords));
  child.stderr.on('error', () => {});
  child.stdout.on('error', ({ message }) => giveUp(message));
  const end = await endOf(child);
  clearTimeout(timer);
  // Another process, such as a shared connection of ssh, can hold its streams.
  await Promise.race([closed(child.stderr), delay(lastWordsMs, undefined, { ref: false })]);
  child.stderr.destroy();
  return { words, end, givenUp };
}

/** Resolves when a program has ended and all that it printed has arrived. */
async function endOf(child: ChildProcessWithoutNullStreams): Promise<Ended['end']> {
  const printed = closed(child.stdout);
  const end = await new Promise<Ended['end']>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
    child.once('error', resolve);
  });
  await printed;
  return end;
}
