import type { Size } from '#model';
import { Terminal } from '#vt';
import { createXterm, xtermOfBytes } from '../engines/index.ts';

/** In the order of the table. */
export const readNames = [
  'screen as text',
  'screen as cells',
  'changed rows, 0 of 24',
  'changed rows, 1 of 24',
  'changed rows, 24 of 24',
  'changed rows, 1 of 200',
  'screen as ansi',
  'lines as text',
  'dump',
  'dump of dense SGR',
] as const;
export type ReadName = (typeof readNames)[number];

/** Returns the read for a terminal with this output. */
type MakeRead = (size: Size, output: readonly Uint8Array[]) => () => unknown;

const rowNumbers = (size: Size): number[] => Array.from({ length: size.rows }, (_, row) => row);

const ofVtr =
  (read: (terminal: Terminal, rows: readonly number[]) => unknown): MakeRead =>
  (size, output) => {
    const terminal = new Terminal({ size });
    for (const chunk of output) terminal.feed(chunk);
    const rows = rowNumbers(size);
    return () => read(terminal, rows);
  };

/** Reads the cells of the changed rows. */
const changing =
  (changed: number, screenRows: number): MakeRead =>
  ({ cols }, output) => {
    const terminal = new Terminal({ size: { cols, rows: screenRows } });
    for (const chunk of output) terminal.feed(chunk);
    const rows = Array.from({ length: changed }, (_, row) => `\x1b[${row + 1}Hx`);
    const change = Buffer.from(rows.join(''));
    let cells = terminal.screenCells();
    return () => {
      terminal.feed(change);
      cells = terminal.screenCells(cells);
      return cells;
    };
  };

export const vtrReads: Readonly<Record<ReadName, MakeRead>> = {
  'screen as text': ofVtr((terminal) => terminal.screenText()),
  'screen as cells': ofVtr((terminal) => terminal.screenCells()),
  'changed rows, 0 of 24': changing(0, 24),
  'changed rows, 1 of 24': changing(1, 24),
  'changed rows, 24 of 24': changing(24, 24),
  'changed rows, 1 of 200': changing(1, 200),
  'screen as ansi': ofVtr((terminal, rows) => rows.map((row) => terminal.readRow(row).ansi())),
  'lines as text': ofVtr((terminal) =>
    Array.from(terminal.readLines(terminal.firstLine, terminal.endLine), ({ reader }) =>
      reader.text(),
    ),
  ),
  dump: ofVtr((terminal) => terminal.dump()),
  'dump of dense SGR': ofVtr((terminal) => terminal.dump()),
};

type XtermBuffer = ReturnType<typeof createXterm>['buffer']['active'];

const ofXterm =
  (read: (buffer: XtermBuffer, rows: readonly number[]) => unknown): MakeRead =>
  (size, output) => {
    const terminal = createXterm(size);
    const engine = xtermOfBytes(terminal);
    for (const chunk of output) engine.feed(chunk);
    const rows = rowNumbers(size);
    return () => read(terminal.buffer.active, rows);
  };

/** Reads that @xterm/headless has too. */
export const xtermReads: Readonly<Partial<Record<ReadName, MakeRead>>> = {
  'screen as text': ofXterm((buffer, rows) =>
    rows.map((row) => buffer.getLine(buffer.baseY + row)?.translateToString(true)),
  ),
  'screen as cells': ofXterm((buffer, rows) =>
    rows.map((row) => cellsOf(buffer, buffer.baseY + row)),
  ),
  'lines as text': ofXterm((buffer) =>
    Array.from({ length: buffer.length }, (_, row) => buffer.getLine(row)?.translateToString(true)),
  ),
};

/**
 * Reads the properties of vtr's cells from xterm as numbers, in its cheapest way: one cell object for
 * all.
 */
function cellsOf(buffer: XtermBuffer, row: number): unknown[] {
  const line = buffer.getLine(row);
  const cells: unknown[] = [];
  let cell = line?.getCell(0);
  for (let col = 0; col < (line?.length ?? 0); col++) {
    cell = line?.getCell(col, cell);
    if (cell === undefined) break;
    cells.push({
      text: cell.getChars(),
      width: cell.getWidth(),
      fg: cell.getFgColor(),
      fgMode: cell.getFgColorMode(),
      bg: cell.getBgColor(),
      bgMode: cell.getBgColorMode(),
      bold: cell.isBold(),
      dim: cell.isDim(),
      italic: cell.isItalic(),
      underline: cell.isUnderline(),
      blink: cell.isBlink(),
      inverse: cell.isInverse(),
      hidden: cell.isInvisible(),
      strikethrough: cell.isStrikethrough(),
      overline: cell.isOverline(),
    });
  }
  return cells;
}
