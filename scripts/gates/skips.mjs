import { counted, runWhenMain } from './gate.mjs';
import { listTestFiles, testCallsOf } from './test-calls.mjs';

/** The helper that skips tests for missing programs; it adds the reason to the title. */
const helper = 'test/support/run/needs.ts';

/** The reason in a title, e.g. `(needs vim)`, `(only on Linux: /proc)`. */
const reason = /\((?:needs|only|skipped)\b[^)]+\)/;

const refused = ['only', 'todo'];
const skipping = ['skip', 'skipIf', 'runIf'];

/** @type {import('./gate.mjs').Gate} */
export const skips = {
  name: 'skips',
  holds: 'no test runs alone, and a test that may be skipped has the reason in its title',
  async run(root) {
    const files = listTestFiles(root).filter((path) => path !== helper);
    const calls = files.flatMap((path) => testCallsOf(root, path));
    const problems = calls.flatMap(problemsOf);
    if (calls.length === 0) problems.push('saw no test');
    return {
      seen: `${counted(files.length, 'file')}, ${counted(calls.length, 'title')}`,
      problems,
    };
  },
};

/** @param {import('./test-calls.mjs').TestCall} call */
function problemsOf({ maker, modifiers, options, title, path, line }) {
  const words = [...modifiers, ...options];
  const place = `${path}:${line} ${[maker, ...words].join('.')}('${title}')`;
  const word = words.find((each) => refused.includes(each));
  if (word !== undefined) return [`${place}: .${word} is not allowed`];
  if (words.some((each) => skipping.includes(each)) && !reason.test(title)) {
    return [`${place}: the title has no reason, such as (only on Linux: reads /proc)`];
  }
  return [];
}

await runWhenMain(import.meta.url, skips);
