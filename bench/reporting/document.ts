import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { repositoryRoot } from '../repository-root.ts';
import { shown } from './figures.ts';
import { isBehind, resultOf } from './headlines.ts';
import type { Machine } from './machine.ts';
import { markdown, plotFile } from './markdown.ts';
import { type Plot, svgOf } from './plot.ts';
import { profiles } from './profiles.ts';
import { type Headline, isMet, type Report } from './report.ts';

const docs = join(repositoryRoot, 'docs');
const file = join(docs, 'performance.md');

const behindTable = `| slower or larger than a peer | compared with | vtr | measured |
| --- | --- | --- | --- |
`;

const aheadTable = `| faster or smaller than a peer | compared with | vtr is | measured |
| --- | --- | --- | --- |
`;

const missedTable = `| missed | measured | wanted | what a profile shows | since |
| --- | --: | --: | --- | --- |
`;

const head = `# Performance

Measured by \`npm run bench -- --write\`. Each section states the date, the machine and the command that repeats
it. Sections can be from different days; all figures of a section are from the same run. Ratios are more
reliable than absolute figures: rounds of all contestants are interleaved, so other load affects them equally.

${behindTable}
${aheadTable}
Figures that missed their targets:

${missedTable}
`;

/** Replaces the section of a report in docs/performance.md, its rows of the first tables, and its plots; keeps the others. */
export function writeReport(report: Report, machine: Machine, date: string): void {
  const { headlines = [], plots = [] } = report;
  const behind = headlines.filter(isBehind);
  const ahead = headlines.filter((each) => !isBehind(each));
  let text = existsSync(file) ? readFileSync(file, 'utf8') : head;
  text = withSection(text, report.name, markdown(report, machine, date));
  text = withRows(text, behindTable, report, behind.map(headlineRow), date);
  text = withRows(text, aheadTable, report, ahead.map(headlineRow), date);
  text = withRows(text, missedTable, report, missedRows(report), date);
  writeFileSync(file, text);
  for (const plot of plots) writePlot(plot);
}

function writePlot(plot: Plot): void {
  const path = join(docs, plotFile(plot.name));
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, svgOf(plot));
}

const headlineRow = (headline: Headline): string =>
  `| ${headline.what} | ${headline.against} | ${resultOf(headline)} |`;

const missedRows = ({ name, targets }: Report): string[] =>
  targets
    .filter(({ bound, measured, next }) => !isMet(bound, measured, next))
    .map(
      ({ what, bound, measured, next }) =>
        `| ${what} | ${shown(measured)} | ${bound} ${next} | ${profiles[name]?.[what] ?? '–'} |`,
    );

/** Replaces the rows of a benchmark in a table that begins with these lines; the last column names it. */
function withRows(
  text: string,
  table: string,
  { name }: Report,
  rows: readonly string[],
  date: string,
): string {
  const from = text.indexOf(table);
  if (from < 0) throw new Error(`${file} has no table that begins with ${table}`);
  const begin = from + table.length;
  const end = text.indexOf('\n\n', begin - 1) + 1;
  const old = text
    .slice(begin, end)
    .split('\n')
    .filter((row) => row !== '');
  const isOwn = (row: string) => row.endsWith(` \`${name}\` |`);
  const own = rows.map((row) => `${row} ${date}, \`${name}\` |`);
  const place = old.findIndex(isOwn);
  const before = place < 0 ? old : old.slice(0, place);
  const after = place < 0 ? [] : old.slice(place).filter((row) => !isOwn(row));
  const lines = [...before, ...own, ...after].map((row) => `${row}\n`);
  return `${text.slice(0, begin)}${lines.join('')}${text.slice(end)}`;
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
