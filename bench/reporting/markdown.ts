import { shown, tablesOf } from './figures.ts';
import type { Machine } from './machine.ts';
import type { Report, Table } from './report.ts';

/** The file of a plot, relative to docs. */
export const plotFile = (name: string): string => `plots/${name}.svg`;

/** A report as a section of docs/performance.md. */
export function markdown(report: Report, machine: Machine, date: string): string {
  const { node, cores, cpu, system, load } = machine;
  const where = `${date}, ${cores} cores of ${cpu} (load before: ${load.toFixed(1)}), ${system}, Node ${node}`;
  const parts = [
    `## ${report.title}`,
    `\`npm run bench -- ${report.name}\`, ${where}.`,
    ...report.notes,
    ...tablesOf(report).map(markdownTable),
    ...(report.plots ?? []).map(({ name, title }) => `![${title}](${plotFile(name)})`),
  ];
  return parts.join('\n\n');
}

function markdownTable({ columns, rows }: Table): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const rule = columns.map((_, at) => (at === 0 ? '---' : '--:'));
  return [line(columns), line(rule), ...rows.map((row) => line(row.map(shown)))].join('\n');
}
