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
  const address = parseAddress(text);
  const place = printAddress(address);
  const options = toolOptions(address, env, mayPrompt);
  const marked = `echo ${begins}; (${script}\n); printf '\\n${ends} %s\\n' "$?"`;
  const command = scriptCommand(address, marked, options);
  const child = await started(place, command, env);
  // A script that fails does not read to the end.
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  const { printed, words, end, givenUp } = await ended(
    child,
    options.mayPrompt ? null : defaultConnectMs,
    maxBytes,
  );
  const [, output, status] = pattern.exec(printed) ?? [];
  if (output !== undefined) return { status: Number(status), output, words: wordsOf(words) };
  const why =
    givenUp ??
    (wordsOf(words) ||
      (end instanceof Error
        ? startText(command.program, end)
        : `${command.program} ${exitClause(end)}`));
  if (hasBegun.test(printed)) {
    const details = { socket: place, reason: 'DISCONNECTED' };
    throw new VtrError('UNAVAILABLE', `the connection to ${place} is broken: ${why}`, { details });
  }
  throw unreachable(place, `${place} cannot be reached: ${why}`, 'UNREACHABLE');
}

const hasBegun = new RegExp(`${begins}\n`);
const pattern = new RegExp(`${begins}\n(.*)\n${ends} (\\d+)\n`, 's');

interface Ended {
  readonly printed: string;
  readonly words: string;
  /** The tool's status and signal, or why it did not start. */
  readonly end: ExitStatus | NodeJS.ErrnoException;
  /** Why its end was not awaited; null if it was. */
  readonly givenUp: string | null;
}

/**
 * @param limitMs for the first line of the script; null: none
 * @param maxBytes of stdout
 */
async function ended(
  child: ChildProcessWithoutNullStreams,
  limitMs: number | null,
  maxBytes: number,
): Promise<Ended> {
  const printed: Buffer[] = [];
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
    printed.push(chunk);
    if (chunk.includes(begins)) clearTimeout(timer);
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
  return { printed: decodeUtf8(Buffer.concat(printed)), words, end, givenUp };
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
