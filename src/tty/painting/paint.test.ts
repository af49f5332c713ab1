import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Cell, Size, Style } from '#model';
import { type Capabilities, capabilitiesOf, type Painted, type Picture, paint } from '#tty';
import { Terminal } from '#vt';
import { caseNames, readBytes, readCase } from '../../../scripts/golden/case-files.mjs';
import { runs } from '../../../test/support/run/runs.ts';
import { output, screenSize } from '../../../test/support/vt/terminal-output.ts';

const full = capabilitiesOf({ TERM: 'xterm-256color' }, [{ of: 'version', text: 'vtr 1' }]);
const encoder = new TextEncoder();

function pictureOf(terminal: Terminal): Picture {
  return {
    size: terminal.size,
    rows: terminal.screenCells().rows,
    cursor: terminal.cursor,
    title: terminal.title,
    reverseVideo: terminal.viewModes.reverseVideo,
  };
}

/** How a cell looks: of a blank one without lines, only the background counts. */
function look({ text, width, style }: Cell): unknown {
  const hasLines = style.underline !== 'none' || style.strikethrough || style.overline;
  if (text !== ' ' || hasLines || style.inverse || style.link !== null) return [text, width, style];
  return [text, width, style.bg];
}

function expectShown(host: Terminal, picture: Picture): void {
  const shown = pictureOf(host);
  for (const [row, cells] of picture.rows.entries()) {
    expect(JSON.stringify(shown.rows[row]?.map(look))).toBe(JSON.stringify(cells.map(look)));
  }
  const { row, col, visible, shape, blinking } = shown.cursor;
  const { wrapPending: _, ...cursor } = picture.cursor;
  expect({ row, col, visible, shape, blinking }).toEqual(cursor);
  expect(shown.title).toBe(picture.title);
  expect(shown.reverseVideo).toBe(picture.reverseVideo);
}

describe('a terminal that reads what is painted', () => {
  it.each(caseNames())('shows %s at every checkpoint', (name) => {
    const { size, checkpoints } = readCase(name);
    const bytes = readBytes(name);
    const program = new Terminal({ size });
    const host = new Terminal({ size });
    let painted: Painted | null = null;
    let from = 0;
    for (const { offset } of checkpoints) {
      program.feed(bytes.subarray(from, offset));
      from = offset;
      const painting = paint(painted, pictureOf(program), full);
      painted = painting.painted;
      host.feed(encoder.encode(painting.bytes));
      expectShown(host, painted.picture);
      expect(paint(painted, painted.picture, full).bytes).toBe('');
    }
  });

  it('shows any screen, after any', () => {
    const property = fc.property(screenSize, fc.array(output, { maxLength: 4 }), (size, chunks) => {
      const program = new Terminal({ size });
      const host = new Terminal({ size });
      let painted: Painted | null = null;
      for (const chunk of chunks) {
        program.feed(chunk);
        const painting = paint(painted, pictureOf(program), full);
        painted = painting.painted;
        host.feed(encoder.encode(painting.bytes));
        expectShown(host, painted.picture);
      }
    });
    fc.assert(property, runs(1000));
  });
});
