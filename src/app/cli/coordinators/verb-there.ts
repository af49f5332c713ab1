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
  const place = parseAddress(address);
  const socket = 'socket' in place ? place.socket : undefined;
  const variable = socket === undefined ? '' : `VTR_SOCKET=${shellQuoted(socket)} `;
  const script = `${userPrograms}; command -v vtr >/dev/null || exit 127
${variable}vtr ${words.map(shellQuoted).join(' ')} </dev/null`;
  const ran = await runThere(address, script, { env, maxBytes, mayPrompt });
  if (ran.status !== 127) return ran;
  const message = `${address} has no vtr; copy it there with vtr install ${shellQuoted(address)}`;
  throw new VtrError('UNAVAILABLE', message, { details: { socket: address, reason: 'MISSING' } });
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
  const { status, output, words: said } = await verbThere(context, address, words, mayPrompt);
  try {
    return JSON.parse(output);
  } catch {
    const message = `${address}: ${said || `vtr ${words[0]} there printed no JSON`}`;
    throw new VtrError(codes[status] ?? 'UNAVAILABLE', message, { details: { socket: address } });
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
