import { maxRequestBytes, VtrError } from '#model';

/** All that stdin gives, up to more than a call may take. @throws VtrError INPUT_TOO_LARGE, INVALID_ARGUMENT */
export async function readInput(): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of process.stdin) {
      chunks.push(chunk as Buffer);
      size += (chunk as Buffer).length;
      if (size > maxRequestBytes) break;
    }
  } catch (error) {
    throw new VtrError('INVALID_ARGUMENT', `stdin cannot be read: ${(error as Error).message}`);
  }
  if (size <= maxRequestBytes) return Buffer.concat(chunks);
  throw new VtrError(
    'INPUT_TOO_LARGE',
    `stdin gives more than ${maxRequestBytes} bytes; send it in parts`,
  );
}
