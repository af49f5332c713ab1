import { shown, tablesOf } from './figures.ts';
import type { Report, Table } from './report.ts';

/** A report as people read it in a terminal. */
export function plainText(report: Report): string {
  const parts = [report.title, ...report.notes, ...tablesOf(report).map(plainTable)];
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
