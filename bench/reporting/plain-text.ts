import { shown, tablesOf } from './figures.ts';
import type { Report, Table } from './report.ts';

const lineLength = 100;

/** A report as people read it in a terminal. */
export function plainText(report: Report): string {
  const notes = report.notes.map((note) => wrapped(note, lineLength));
  const parts = [report.title, ...notes, ...tablesOf(report).map(plainTable)];
  return `${parts.join('\n\n')}\n`;
}

function plainTable({ columns, rows }: Table): string {
  const lines = [columns, ...rows.map((row) => row.map(shown))];
  const widths = columns.map((_, at) => Math.max(...lines.map((line) => line[at]?.length ?? 0)));
  return lines
    .map((line) =>
      line
        .map((cell, at) => aligned(cell, widths[at] ?? 0, at))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** Figures to the right; what they are of to the left. */
const aligned = (cell: string, width: number, at: number): string =>
  at === 0 ? cell.padEnd(width) : cell.padStart(width);

function wrapped(text: string, length: number): string {
  let line = '';
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > length) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line].join('\n');
}
