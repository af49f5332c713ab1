import { maxRequestBytes, VtrError } from '#model';
import type { Context } from '../context.ts';

/**
 * Reads stdin to its end. Stops early once it exceeds the largest request.
 *
 * @throws VtrError INPUT_TOO_LARGE, INVALID_ARGUMENT if stdin cannot be read
 */
export async function readStdin(): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of process.stdin) {
      chunks.push(chunk as Buffer);
      size += (chunk as Buffer).length;
      if (size > maxRequestBytes) break;
    }
  } catch (error) {
    throw new VtrError('INVALID_ARGUMENT', `cannot read stdin: ${(error as Error).message}`);
  }
  if (size <= maxRequestBytes) return Buffer.concat(chunks);
  throw new VtrError(
    'INPUT_TOO_LARGE',
    `stdin has more than ${maxRequestBytes} bytes; send it in parts`,
  );
}

/**
 * Reads stdin to its end as UTF-8.
 *
 * @throws VtrError INVALID_ARGUMENT if it is not valid UTF-8, INPUT_TOO_LARGE
 */
export async function readStdinText(context: Context): Promise<string> {
  const bytes = await context.readInput();
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    throw new VtrError('INVALID_ARGUMENT', 'stdin is not valid UTF-8; send bytes with vtr raw', {
      cause: error,
    });
  }
}
