import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Terminal } from '#vt';
import { stateOf } from '#vt/checks';
import { runs } from '../../../test/support/run/runs.ts';
import { expectSameTerminal } from '../../../test/support/vt/same-terminal.ts';
import { output, screenSize } from '../../../test/support/vt/terminal-output.ts';

it('the cells of a screen are the same, whether they are allocated at once or when they are used', () => {
  const property = fc.property(screenSize, output, (size, bytes) => {
    const grown = new Terminal({ size });
    const whole = new Terminal({ size });
    stateOf(whole).primary.applyFills();
    grown.feed(bytes);
    whole.feed(bytes);
    expectSameTerminal(grown, whole);
  });
  fc.assert(property, runs(300));
});

it('a screen has memory for the rows in use, up to twice as many', () => {
  const size = { cols: 80, rows: 1000 };
  const terminal = new Terminal({ size });
  const { primary } = stateOf(terminal);
  const empty = primary.bytes;
  terminal.feed(Buffer.from('one\r\ntwo\r\nthree'));
  terminal.screenText();
  terminal.dump();
  const bytesOfRow = 2 * Int32Array.BYTES_PER_ELEMENT * size.cols;
  expect(primary.bytes - empty).toBeLessThanOrEqual(2 * 3 * bytesOfRow);
  terminal.feed(Buffer.from('\x1b[1000Hlast'));
  expect(primary.bytes - empty).toBe(size.rows * bytesOfRow);
});
