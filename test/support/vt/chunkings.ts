type Cut = (bytes: Uint8Array) => Iterable<Uint8Array>;

/** Without a common divisor, so that cuts eventually fall everywhere in a sequence. */
const oddLengths = [1, 2, 3, 5, 7, 11, 13, 4, 1, 17, 29];

function* inLengths(bytes: Uint8Array, lengths: readonly number[]): Generator<Uint8Array> {
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const length = lengths[turn % lengths.length] ?? 1;
    yield bytes.subarray(at, at + length);
    at += length;
  }
}

/** Ways to split output into chunks, by name. */
export const chunkings: Readonly<Record<string, Cut>> = {
  whole: (bytes) => [bytes],
  'as a pseudo-terminal delivers it': (bytes) => inLengths(bytes, [4095]),
  'in odd pieces': (bytes) => inLengths(bytes, oddLengths),
  'byte by byte': (bytes) => inLengths(bytes, [1]),
};
