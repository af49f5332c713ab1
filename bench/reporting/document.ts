import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { repositoryRoot } from '../repository-root.ts';
import type { Machine } from './machine.ts';
import { markdown, plotFile } from './markdown.ts';
import { type Plot, svgOf } from './plot.ts';
import type { Report } from './report.ts';

const docs = join(repositoryRoot, 'docs');
const file = join(docs, 'performance.md');

const firstRow = `| what | compared with | vtr is | measured |
| --- | --- | --- | --- |
`;

const head = `# Performance

Measured by \`npm run bench -- --write\`. Each section states the date, the machine and the command that repeats
it. Sections can be from different days; all figures of a section are from the same run. Ratios are more
reliable than absolute figures: rounds of all contestants are interleaved, so other load affects them equally.

${firstRow}
`;

/** Replaces the sections of reports in docs/performance.md, their headlines and plots; keeps the others. */
export function writeReports(reports: readonly Report[], machine: Machine, date: string): void {
  let text = existsSync(file) ? readFileSync(file, 'utf8') : head;
  for (const report of reports) {
    text = withSection(text, report.name, markdown(report, machine, date));
    text = withHeadlines(text, report, date);
    for (const plot of report.plots ?? []) writePlot(plot);
  }
  writeFileSync(file, text);
}

function writePlot(plot: Plot): void {
  const path = join(docs, plotFile(plot.name));
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, svgOf(plot));
}

/** Replaces the rows of a benchmark in the first table; the last column names it. */
function withHeadlines(text: string, { name, headlines = [] }: Report, date: string): string {
  const from = text.indexOf(firstRow);
  if (from < 0 || headlines.length === 0) return text;
  const begin = from + firstRow.length;
  const end = text.indexOf('\n\n', begin);
  const rows = text
    .slice(begin, end)
    .split('\n')
    .filter((row) => row !== '');
  const isOwn = (row: string) => row.endsWith(` \`${name}\` |`);
  const own = headlines.map(
    ({ what, against, result }) => `| ${what} | ${against} | ${result} | ${date}, \`${name}\` |`,
  );
  const place = rows.findIndex(isOwn);
  const before = place < 0 ? rows : rows.slice(0, place);
  const after = place < 0 ? [] : rows.slice(place).filter((row) => !isOwn(row));
  return `${text.slice(0, begin)}${[...before, ...own, ...after].join('\n')}${text.slice(end)}`;
}

/** Replaces the text between the two comments that name a section, or appends the section. */
function withSection(text: string, name: string, section: string): string {
  const begin = `<!-- ${name} -->`;
  const end = `<!-- end of ${name} -->`;
  const block = `${begin}\n\n${section}\n\n${end}`;
  const from = text.indexOf(begin);
  const to = text.indexOf(end);
  if (from < 0 || to < 0) return `${text.trimEnd()}\n\n${block}\n`;
  return `${text.slice(0, from)}${block}${text.slice(to + end.length)}`;
}
