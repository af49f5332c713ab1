import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { tableRows } from './markdown-table.mjs';
import { roomTable } from './rooms.table.mjs';

const document = 'ARCHITECTURE.md';

/**
 * Where ARCHITECTURE.md says something else about the rooms than the table, or about what is
 * built than the folder.
 *
 * @param {string} root
 * @returns {string[]}
 */
export function documentProblems(root) {
  if (!existsSync(join(root, document))) return [`there is no ${document}`];
  const text = readFileSync(join(root, document), 'utf8');
  const shown = tableRows(text, ['room', 'floor', 'may open', 'state']).map((row) =>
    row.join(' | '),
  );
  const wanted = roomTable.map((room) => documentRow(root, room).join(' | '));
  return [
    ...wanted
      .filter((row) => !shown.includes(row))
      .map((row) => `${document}'s table of rooms lacks | ${row} |`),
    ...shown
      .filter((row) => !wanted.includes(row))
      .map((row) => `${document}'s table of rooms has | ${row} |, which is not so`),
  ];
}

/**
 * @param {string} root
 * @param {import('./rooms.table.mjs').Room} room
 */
function documentRow(root, { name, floor, opens, opensLate = [] }) {
  const late = opensLate.map((each) => `${each} (by import() only)`);
  const state = existsSync(join(root, 'src', name)) ? 'built' : 'to come';
  return [name, String(floor), [...opens, ...late].join(', ') || 'nothing', state];
}
