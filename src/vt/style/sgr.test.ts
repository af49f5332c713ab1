import fc from 'fast-check';
import { it } from 'vitest';
import { Terminal } from '#vt';
import { runs } from '../../../test/support/run/runs.ts';
import { expectSameTerminal } from '../../../test/support/vt/same-terminal.ts';

const value = fc.oneof(
  fc.constantFrom('', '0', '00', '1', '4', '22', '38', '48', '58', '39', '49', '59', '107', '999'),
  fc.constantFrom('38;5', '48;5', '38;2', '48;2', '58;5', '58;2', '4:3', '38:5', '38;3'),
  fc.nat({ max: 300 }).map(String),
  fc.constantFrom('0000000007', '4294967295', '1000'),
);
const sequence = fc
  .tuple(fc.array(value, { maxLength: 10 }), fc.constantFrom('m', 'm', 'm', 'm', ' m', '>m', 'n'))
  .map(([values, final]) => `\x1b[${values.join(';')}${final}x`);
const colored = fc.array(sequence, { maxLength: 6 }).map((all) => Buffer.from(all.join('')));

// A sequence in one chunk is applied from its bytes, one in several from its parsed parameters.
it('[law 2] is the same from bytes and from parameters', () => {
  const fed = (...chunks: readonly Uint8Array[]) => {
    const terminal = new Terminal({ size: { cols: 20, rows: 3 } });
    for (const chunk of chunks) terminal.feed(chunk);
    return terminal;
  };
  const property = fc.property(colored, (bytes) => {
    expectSameTerminal(fed(...Array.from(bytes, (byte) => Uint8Array.of(byte))), fed(bytes));
  });
  fc.assert(property, runs(1000));
});
