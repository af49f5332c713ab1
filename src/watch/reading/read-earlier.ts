import { checkOutputFormat, type ReadRequest, type ReadResult, VtrError } from '#model';
import type { TextFormat } from '../watched.ts';
import type { EarlierReadable } from './earlier-readable.ts';
import { readKept } from './read.ts';

const textFormats: readonly TextFormat[] = ['text', 'ansi'];

/**
 * Returns the output of a session as it was then. The mark of the result is that of the time.
 *
 * @throws VtrError INVALID_ARGUMENT
 */
export function readEarlier(session: EarlierReadable, request: ReadRequest): ReadResult {
  if (request.since !== undefined) {
    throw new VtrError('INVALID_ARGUMENT', 'a time and a mark cannot be used together');
  }
  if (request.format === 'raw') {
    const message = 'raw output has no times; use record in the format raw';
    throw new VtrError('INVALID_ARGUMENT', message);
  }
  return readKept(session, request, checkOutputFormat(request.format ?? 'text', textFormats));
}
