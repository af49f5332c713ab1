type Cut = (bytes: Uint8Array) => Iterable<Uint8Array>;

/** Of no common measure: cuts fall everywhere in a sequence, sooner or later. */
const oddLengths = [1, 2, 3, 5, 7, 11, 13, 4, 1, 17, 29];

function* inLengths(bytes: Uint8Array, lengths: readonly number[]): Generator<Uint8Array> {
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const length = lengths[turn % lengths.length] ?? 1;
    yield bytes.subarray(at, at + length);
    at += length;
  }
}

/** Ways in which output may be cut on its way, by name. */
export const chunkings: Readonly<Record<string, Cut>> = {
  whole: (bytes) => [bytes],
  'as a pseudo-terminal delivers it': (bytes) => inLengths(bytes, [4095]),
  'in odd pieces': (bytes) => inLengths(bytes, oddLengths),
  'byte by byte': (bytes) => inLengths(bytes, [1]),
};
