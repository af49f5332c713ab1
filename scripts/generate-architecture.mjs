// Prints ARCHITECTURE.md with its table of rooms, which is made from the table of the gate `rooms`.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { roomTable } from './gates/rooms.table.mjs';
import { root } from './root.mjs';

const marks = { begin: '<!-- rooms -->\n', end: '<!-- /rooms -->' };

const rows = roomTable.map(({ name, floor, opens, opensLate = [] }) => {
  const late = opensLate.map((each) => `${each} (by \`import()\` only)`);
  return `| \`${name}\` | ${floor} | ${[...opens, ...late].join(', ') || 'nothing'} |`;
});
const table = ['', '| room | floor | may open |', '|---|--:|---|', ...rows, '', ''].join('\n');

const text = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8');
const [begin, end] = [text.indexOf(marks.begin) + marks.begin.length, text.indexOf(marks.end)];
if (begin < marks.begin.length || end < begin) {
  throw new Error(`ARCHITECTURE.md has no ${marks.begin.trim()} and ${marks.end} around its table`);
}
process.stdout.write(text.slice(0, begin) + table + text.slice(end));
