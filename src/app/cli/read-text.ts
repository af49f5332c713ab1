import { VtrError } from '#model';
import type { Context } from './context.ts';

/** All that stdin gives. @throws VtrError INVALID_ARGUMENT for what is no UTF-8, INPUT_TOO_LARGE */
export async function readText(context: Context): Promise<string> {
  const bytes = await context.readInput();
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    throw new VtrError('INVALID_ARGUMENT', 'what stdin gives is no UTF-8; vtr raw sends bytes', {
      cause: error,
    });
  }
}
