import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Cell } from '#model';
import { capabilitiesOf, type Painted, type Picture, paint } from '#tty';
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

const texts = new Map<string, boolean>();

/** Whether a terminal shows a text in one cell of this width, after another cell. */
function isOneCell(text: string, width: number): boolean {
  if (text === '') return false;
  const key = `${width}${text}`;
  const known = texts.get(key);
  if (known !== undefined) return known;
  const terminal = new Terminal({ size: { cols: 8, rows: 1 } });
  terminal.feed(encoder.encode(`a${text}`));
  const [before, cell] = terminal.readRow(0).cells();
  const isOne = before?.text === 'a' && cell?.text === text && cell.width === width;
  texts.set(key, isOne);
  return isOne;
}

const directions = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** How a row looks: of a blank cell without lines, only the background counts. */
function look(cells: readonly Cell[]): unknown[] {
  const sent = cells.map((cell) => ({ ...cell, text: cell.text.replace(directions, '') }));
  return sent.map((cell, col) => {
    const { style } = cell;
    const before = sent[col - 1];
    const isTail = cell.width === 0 && before !== undefined && isOneCell(before.text, 2);
    const isSent = cell.width === 0 || isOneCell(cell.text, cell.width);
    const text = isTail ? '' : cell.width === 0 ? ' ' : isSent ? cell.text : '\ufffd';
    const width = isTail ? 0 : isSent ? cell.width : 1;
    const hasLines = style.underline !== 'none' || style.strikethrough || style.overline;
    if (text !== ' ' || hasLines || style.inverse || style.link !== null)
      return [text, width, style];
    return [text, width, style.bg];
  });
}

function expectShown(host: Terminal, picture: Picture): void {
  const shown = pictureOf(host);
  for (const [row, cells] of picture.rows.entries()) {
    expect(JSON.stringify(look(shown.rows[row] ?? []))).toBe(JSON.stringify(look(cells)));
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
