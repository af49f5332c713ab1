import fc from 'fast-check';
import { readCorpus, readRecordings } from './kept-output.ts';
import { output } from './terminal-output.ts';

/** The longest part of a recording in one input. */
const maxSliceBytes = 400;

const outputs = [...readCorpus(), ...readRecordings()];

const slice: fc.Arbitrary<Uint8Array> = fc
  .tuple(fc.constantFrom(...outputs), fc.nat(), fc.nat({ max: maxSliceBytes }))
  .map(([{ bytes }, at, length]) => {
    const from = at % bytes.length;
    return bytes.subarray(from, from + length);
  });

type Edit = (bytes: number[]) => void;

const place = fc.nat({ max: 4_096 });
/** Bytes that change the meaning of others. */
const pivotal = fc.constantFrom(
  ...[0x00, 0x07, 0x18, 0x1a, 0x1b, 0x20, 0x24, 0x30, 0x39, 0x3a, 0x3b, 0x3f, 0x5b, 0x5c, 0x5d],
  ...[0x6d, 0x7f, 0x80, 0x90, 0x9b, 0x9c, 0xc2, 0xe2, 0xf0, 0xff],
);

const edit: fc.Arbitrary<Edit> = fc.oneof(
  fc.tuple(place, fc.nat({ max: 7 })).map(([at, bit]) => (bytes: number[]) => {
    if (bytes.length > 0) bytes[at % bytes.length] = (bytes[at % bytes.length] ?? 0) ^ (1 << bit);
  }),
  fc
    .tuple(place, fc.oneof(pivotal, fc.nat({ max: 255 })))
    .map(([at, byte]) => (bytes: number[]) => {
      bytes.splice(at % (bytes.length + 1), 0, byte);
    }),
  fc.tuple(place, fc.integer({ min: 1, max: 20 })).map(([at, count]) => (bytes: number[]) => {
    bytes.splice(at % (bytes.length + 1), count);
  }),
  fc
    .tuple(place, place, fc.integer({ min: 1, max: 40 }))
    .map(([from, to, count]) => (bytes: number[]) => {
      const copied = bytes.slice(from % (bytes.length + 1)).slice(0, count);
      bytes.splice(to % (bytes.length + 1), 0, ...copied);
    }),
);

/** Output of the grammar or of a program, with a few changed bytes. */
export const mutatedOutput: fc.Arbitrary<Uint8Array> = fc
  .tuple(
    fc.array(fc.oneof({ weight: 2, arbitrary: slice }, { weight: 1, arbitrary: output }), {
      minLength: 1,
      maxLength: 4,
    }),
    fc.array(edit, { maxLength: 12 }),
  )
  .map(([parts, edits]) => {
    const bytes = parts.flatMap((part) => [...part]);
    for (const apply of edits) apply(bytes);
    return Uint8Array.from(bytes);
  });
