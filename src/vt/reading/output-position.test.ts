import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Terminal } from '#vt';
import { runs } from '../../../test/support/run/runs.ts';
import { output, screenSize } from '../../../test/support/vt/terminal-output.ts';

/** The position of the cursor, and that at which its line is read. */
function positions(terminal: Terminal) {
  const { line, col } = terminal.position;
  const read = terminal.linePosition();
  return [
    { line, col },
    { line: read.line, col: read.col },
  ];
}

it('the position of the cursor is that in its line, also behind clipped wide characters', () => {
  const terminal = new Terminal({ size: { cols: 1, rows: 3 } });
  terminal.feed(Buffer.from('漢字x'));
  expect(positions(terminal)).toEqual(Array(2).fill({ line: 0, col: 5 }));
});

it('a position above the screen is shown in its first cell, and one below it nowhere', () => {
  const terminal = new Terminal({ size: { cols: 4, rows: 3 } });
  terminal.feed(Buffer.from('1\r\n2\r\nabcdefghi\r\nx'));
  expect(terminal.screenText()).toEqual(['efgh', 'i', 'x']);
  const shownAt = (line: number, col: number) => {
    const place = terminal.placeOf(line, col);
    return place && `${place.row} ${place.col}`;
  };
  const places = [0, 3, 4, 7, 8, 9].map((col) => shownAt(2, col));
  expect(places).toEqual(['0 0', '0 0', '0 0', '0 3', '1 0', '1 1']);
  expect([1, 3, 4].map((line) => shownAt(line, 0))).toEqual(['0 0', '2 0', null]);
});

it('the position of the cursor is shown where the cursor is, after any output and resize', () => {
  const changes = fc.array(fc.oneof(output, screenSize), { maxLength: 4 });
  const property = fc.property(screenSize, changes, (size, all) => {
    const terminal = new Terminal({ size });
    for (const change of all) {
      if ('cols' in change) terminal.resize(change);
      else terminal.feed(change);
      terminal.endFrame();
      const { line, col } = terminal.position;
      const { row, col: cursorCol, wrapPending } = terminal.cursor;
      // A clipped wide character, and the place of one that did not fit, have other columns in their lines.
      if (line === null || wrapPending || terminal.size.cols === 1) continue;
      if (cursorCol === terminal.size.cols - 1 && terminal.wrapsAt(row)) continue;
      expect(terminal.placeOf(line, col)).toEqual({ row, col: cursorCol });
    }
  });
  fc.assert(property, runs(300));
});

it('the position of the cursor is that in its line, after any output and resize', () => {
  const changes = fc.array(fc.oneof(output, screenSize), { maxLength: 4 });
  const property = fc.property(screenSize, changes, (size, all) => {
    const terminal = new Terminal({ size });
    for (const change of all) {
      if ('cols' in change) terminal.resize(change);
      else terminal.feed(change);
      terminal.endFrame();
      const [position, read] = positions(terminal);
      if (!terminal.alternate) expect(position).toEqual(read);
    }
  });
  fc.assert(property, runs(300));
});
