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
