import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Terminal } from '#vt';
import { verify } from '#vt/checks';
import { runs } from '../../../test/support/run/runs.ts';
import { chunkings } from '../../../test/support/vt/chunkings.ts';

const cols = 200;

/** Returns the text that a terminal shows for the bytes, and the column of its cursor. */
function shown(bytes: Uint8Array, cut = chunkings['whole']) {
  const terminal = new Terminal({ size: { cols, rows: 2 } });
  for (const chunk of cut?.(bytes) ?? []) terminal.feed(chunk);
  expect(verify(terminal)).toEqual([]);
  const [line] = terminal.readLines(0, 1);
  return { text: line?.reader.text(), col: terminal.cursor.col };
}

const bytesOf = (hex: string): Uint8Array =>
  Uint8Array.from(Buffer.from(hex.replaceAll(' ', ''), 'hex'));

/** The Unicode Standard, 3.9, U+FFFD Substitution of Maximal Subparts; tables 3-8 to 3-11. */
const cases: readonly [string, string, string][] = [
  ['a lone continuation', '61 80 62', 'a\ufffdb'],
  ['a lead without continuation', '61 c3 62', 'a\ufffdb'],
  ['a truncated character of three', '61 e1 80 62', 'a\ufffdb'],
  ['a truncated character of four', '61 f0 90 80 62', 'a\ufffdb'],
  ['an overlong slash of two', 'c0 af 61', '\ufffd\ufffda'],
  ['an overlong slash of three', 'e0 80 af 61', '\ufffd\ufffd\ufffda'],
  ['an overlong of four', 'f0 80 80 af 61', '\ufffd\ufffd\ufffd\ufffda'],
  ['a lone surrogate', 'ed a0 80 61', '\ufffd\ufffd\ufffda'],
  ['a pair of surrogates', 'ed a0 bd ed b8 80', '\ufffd'.repeat(6)],
  [
    'code points above U+10FFFF',
    'f4 91 92 93 ff 41 80 bf 42',
    '\ufffd\ufffd\ufffd\ufffd\ufffdA\ufffd\ufffdB',
  ],
  ['bytes that never occur in UTF-8', 'f5 f8 fc fe ff', '\ufffd'.repeat(5)],
  ['several truncated ones', 'e1 80 e2 f0 91 92 f1 bf 41', '\ufffd\ufffd\ufffd\ufffdA'],
];

describe('output that is not valid UTF-8', () => {
  it.each(cases)('shows U+FFFD for %s, and decodes the text after it', (_what, hex, text) => {
    for (const cut of Object.values(chunkings)) {
      expect(shown(bytesOf(hex), cut)).toEqual({ text, col: text.length });
    }
  });

  it('shows the same text as TextDecoder for any mix of bytes', () => {
    const piece = fc.oneof(
      fc.constantFrom('61', 'c3 a9', 'e2 82 ac', 'e4 bd a0', 'f0 9f 98 80'),
      fc.constantFrom('80', 'bf', 'c0', 'c1', 'c3', 'e0', 'e0 a0', 'ed', 'ed a0', 'f0', 'f0 90 80'),
      fc.constantFrom('f4', 'f4 90', 'f5', 'ff'),
    );
    const property = fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
      // Ends with a complete character, because a terminal waits for the rest of an incomplete one.
      const bytes = bytesOf([...pieces, '2e'].join(''));
      const text = new TextDecoder().decode(bytes);
      fc.pre(!/[\u0080-\u009f]/.test(text));
      // A lead and two lone continuations can be a syllable of Hangul.
      const wide = text.match(/[\u{4f60}\u{1f600}\u{ac00}-\u{d7a3}]/gu)?.length ?? 0;
      expect(shown(bytes)).toEqual({ text, col: [...text].length + wide });
    });
    fc.assert(property, runs(300));
  });
});
