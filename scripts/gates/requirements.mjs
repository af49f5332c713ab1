import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { counted, runWhenMain } from './gate.mjs';
import { tableRows } from './markdown-table.mjs';
import { listTestFiles, testCallsOf } from './test-calls.mjs';

const document = 'docs/requirements.md';

/** @type {import('./gate.mjs').Gate} */
export const requirements = {
  name: 'requirements',
  holds: 'a promise is marked built exactly when the title of a test has its id',
  async run(root) {
    const file = join(root, document);
    if (!existsSync(file)) return { seen: 'nothing', problems: [`there is no ${document}`] };
    const rows = tableRows(readFileSync(file, 'utf8'), ['id', 'promise', 'state']);
    const testFiles = listTestFiles(root);
    const places = placesById(testFiles.flatMap((path) => testCallsOf(root, path)));

    const problems = [...rowProblems(rows, places), ...strayProblems(rows, places)];
    if (rows.length === 0) problems.push(`saw no row in ${document}`);
    if (testFiles.length === 0) problems.push('saw no test file');
    const built = rows.filter(([, , state]) => state === 'built').length;
    return {
      seen: `${counted(rows.length, 'promise')}, ${built} built, ${counted(testFiles.length, 'test file')}`,
      problems,
    };
  },
};

/**
 * Finds the ids in titles: `[S3.16] ...`, or several as `[S3.16, S1.14] ...`.
 *
 * @param {readonly import('./test-calls.mjs').TestCall[]} calls
 * @returns {Map<string, string>} the first place of each id
 */
function placesById(calls) {
  /** @type {Map<string, string>} */
  const places = new Map();
  for (const { title, path, line } of calls) {
    for (const [bracket] of title.matchAll(/\[S\d+\.\d+(?:\s*,\s*S\d+\.\d+)*\]/g)) {
      for (const [id] of bracket.matchAll(/S\d+\.\d+/g)) {
        if (!places.has(id)) places.set(id, `${path}:${line}`);
      }
    }
  }
  return places;
}

/**
 * @param {readonly string[][]} rows
 * @param {ReadonlyMap<string, string>} places
 */
function rowProblems(rows, places) {
  /** @type {Set<string>} */
  const ids = new Set();
  return rows.flatMap(([id = '', promise = '', state = '']) => {
    if (ids.has(id)) return [`${id} is twice in ${document}`];
    ids.add(id);
    if (promise === '') return [`${id} has no promise`];
    if (state !== '' && state !== 'built')
      return [`${id} is marked "${state}"; mark it built, or leave it empty`];
    const place = places.get(id);
    if (state === 'built' && place === undefined) return [`${id} is marked built and has no test`];
    if (state === '' && place !== undefined) return [`${id} has a test (${place}); mark it built`];
    return [];
  });
}

/**
 * @param {readonly string[][]} rows
 * @param {ReadonlyMap<string, string>} places
 */
function strayProblems(rows, places) {
  const ids = new Set(rows.map(([id]) => id));
  return [...places]
    .filter(([id]) => !ids.has(id))
    .map(([id, place]) => `${place} has ${id}, which is not in ${document}`);
}

await runWhenMain(import.meta.url, requirements);
