/** The longest read from a Linux pseudo-terminal; it splits characters. */
const chunkBytes = 4095;

export function chunksOf(bytes: Uint8Array): Uint8Array[] {
  const chunks: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += chunkBytes) {
    chunks.push(bytes.subarray(at, at + chunkBytes));
  }
  return chunks;
}
