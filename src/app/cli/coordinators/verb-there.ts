import { shellQuoted } from '#base';
import { type ErrorCode, parseAddress, VtrError } from '#model';
import type { Context } from '../context.ts';

/** A verb that has ended on another machine. */
interface VerbThere {
  readonly status: number;
  readonly output: string;
  /** Its messages, in one line. */
  readonly words: string;
}

/** A trail or a recording of the largest usual size. */
const maxBytes = 256 * 1024 * 1024;

/**
 * Runs a verb of vtr on the machine, or in the container, of an address, for what only that machine knows: its files
 * and its processes. It finds vtr where `vtr install` puts it, whatever PATH is there.
 *
 * @param mayPrompt whether ssh may ask a person, if one can answer here
 * @throws VtrError INVALID_ARGUMENT for the address; UNAVAILABLE if the machine cannot be reached or has no vtr
 */
export async function verbThere(
  { env }: Context,
  address: string,
  words: readonly string[],
  mayPrompt = true,
): Promise<VerbThere> {
  const { runThere, userPrograms } = await import('#transport');
  const script = scriptOf(userPrograms, address, words);
  const ran = await runThere(address, script, { env, maxBytes, mayPrompt });
  if (ran.status !== missingStatus) return ran;
  throw missing(address);
}

/**
 * Runs a verb as {@link verbThere} does, and takes each line that it prints as it comes, until the verb ends or `signal`
 * is aborted.
 *
 * @throws VtrError as {@link verbThere}, and as the verb failed there
 */
export async function linesThere(
  { env }: Context,
  address: string,
  words: readonly string[],
  options: {
    readonly signal: AbortSignal;
    readonly mayPrompt: boolean;
    readonly onLine: (line: string) => void;
  },
): Promise<void> {
  const { followThere, userPrograms } = await import('#transport');
  const script = scriptOf(userPrograms, address, words);
  const ran = await followThere(address, script, { env, ...options });
  if (ran === null || ran.status === 0) return;
  if (ran.status === missingStatus) throw missing(address);
  throw failedThere(address, ran, `vtr ${words[0]} there has ended with status ${ran.status}`);
}

/** That of sh for a program that does not exist. */
const missingStatus = 127;

function missing(address: string): VtrError {
  const message = `${address} has no vtr; copy it there with vtr install ${shellQuoted(address)}`;
  return new VtrError('UNAVAILABLE', message, { details: { socket: address, reason: 'MISSING' } });
}

/** @param programs a script that finds vtr where `vtr install` puts it */
function scriptOf(programs: string, address: string, words: readonly string[]): string {
  const place = parseAddress(address);
  const socket = 'socket' in place ? place.socket : undefined;
  const variable = socket === undefined ? '' : `VTR_SOCKET=${shellQuoted(socket)} `;
  return `${programs}; command -v vtr >/dev/null || exit ${missingStatus}
${variable}exec vtr ${words.map(shellQuoted).join(' ')} </dev/null`;
}

/** @param otherwise what happened, if the verb said nothing */
function failedThere(
  address: string,
  { status, words }: Omit<VerbThere, 'output'>,
  otherwise: string,
): VtrError {
  const message = `${address}: ${words || otherwise}`;
  return new VtrError(codes[status] ?? 'UNAVAILABLE', message, { details: { socket: address } });
}

/**
 * Runs a verb as {@link verbThere} does, and returns the JSON that it printed.
 *
 * @throws VtrError also as the verb failed there
 */
export async function jsonThere(
  context: Context,
  address: string,
  words: readonly string[],
  mayPrompt = true,
): Promise<unknown> {
  const ran = await verbThere(context, address, words, mayPrompt);
  try {
    return JSON.parse(ran.output);
  } catch {
    throw failedThere(address, ran, `vtr ${words[0]} there printed no JSON`);
  }
}

/** Returns the text of a file there. @throws VtrError UNAVAILABLE; IO_ERROR if it cannot be read */
export async function textThere({ env }: Context, address: string, path: string): Promise<string> {
  const { runThere } = await import('#transport');
  const script = `cat -- ${shellQuoted(path)}`;
  const { status, output, words } = await runThere(address, script, { env, maxBytes });
  if (status === 0) return output;
  throw new VtrError('IO_ERROR', `${path} at ${address} cannot be read: ${words}`);
}

/** The codes of the errors with which such verbs end, by exit status. */
const codes: Readonly<Record<number, ErrorCode>> = {
  2: 'INVALID_ARGUMENT',
  4: 'SESSION_NOT_FOUND',
  10: 'IO_ERROR',
};
