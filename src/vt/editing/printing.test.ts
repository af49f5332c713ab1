import fc from 'fast-check';
import { it } from 'vitest';
import { Terminal } from '#vt';
import { runs } from '../../../test/support/run/runs.ts';
import { expectSameTerminal } from '../../../test/support/vt/same-terminal.ts';

// Every kind of character that joins or is joined, with one, two, three and four bytes.
const joining = ['\u200d', '\ufe0f', '\u0301', '🏽', '👩', '💻', '⚠', '🇯', '🇵', 'ᄀ', '각', 'ᅡ'];
const indic = ['क', '्', 'ष', 'ा', '\u0e33', '\u200f'];
const others = [
  'a',
  ' ',
  'é',
  '日',
  '🚀',
  '✅',
  '𠀀',
  '🀄',
  '\u{1f1e5}',
  '\x1b[D',
  '\r',
  '\t',
  '\x1b[K',
];
const modes = ['\x1b[?2027l', '\x1b[?2027h', '\x1b[4h', '\x1b[4l'];
const piece = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...joining, ...indic) },
  { weight: 8, arbitrary: fc.constantFrom(...others) },
  { weight: 1, arbitrary: fc.constantFrom(...modes) },
);

it('[law 2] joins the same characters whether they arrive together or one by one', () => {
  const property = fc.property(
    fc.array(piece, { maxLength: 12 }),
    fc.integer({ min: 1, max: 12 }),
    (pieces, cols) => {
      const one = new Terminal({ size: { cols, rows: 3 } });
      for (const each of pieces) one.feed(Buffer.from(each));
      const other = new Terminal({ size: { cols, rows: 3 } });
      other.feed(Buffer.from(pieces.join('')));
      expectSameTerminal(one, other);
    },
  );
  fc.assert(property, runs(2000));
});
