import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../../scripts/root.mjs';

const document = 'docs/reliability.md';
const plannedRows = 63;
/** The first table; another has the parts of rows that vtr does not do. */
const [table = ''] = readFileSync(join(root, document), 'utf8').split(
  'vtr does not do these parts of the plan:',
);
const rows = table
  .split('\n')
  .filter((line) => /^\| \d+ \|/.test(line))
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .map(([, row = '', , , shown = '']) => ({ row, shown }));

/** Titles may contain brackets. */
const linksIn = (shown: string) =>
  [...shown.matchAll(/\[((?:\[[^\]]*\]|[^[\]])*)\]\(\.\.\/([^)]+)\)/g)].map(
    ([, title = '', path = '']) => ({ title, path }),
  );

describe('the table of reliability', () => {
  it('has each row of the plan once', () => {
    const shown = rows.filter((each) => linksIn(each.shown).length > 0);
    expect(shown.map(({ row }) => Number(row))).toEqual(
      Array.from({ length: plannedRows }, (_, index) => index + 1),
    );
  });

  it('has a test or a reason for each row', () => {
    expect(rows.length).toBeGreaterThan(30);
    const bare = rows.filter(({ shown }) => linksIn(shown).length === 0);
    expect(bare.filter(({ shown }) => !shown.startsWith('not yet: '))).toEqual([]);
  });

  it('links to tests that exist', () => {
    const missing = rows.flatMap(({ row, shown }) =>
      linksIn(shown)
        .filter(({ title, path }) => !hasTest(path, title))
        .map(({ title, path }) => `${row}: ${path} has no ${title}`),
    );
    expect(missing).toEqual([]);
  });
});

/** Searches the text, because a function may make the test. */
function hasTest(path: string, title: string): boolean {
  const file = join(root, path);
  return existsSync(file) && readFileSync(file, 'utf8').includes(`'${title}'`);
}
