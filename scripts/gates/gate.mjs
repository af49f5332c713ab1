import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root as repository } from '../root.mjs';

/**
 * What a gate found. A gate that saw nothing says so as a problem: green must mean "looked and
 * found good", never "did not look".
 *
 * @typedef {object} GateReport
 * @property {string} seen what was looked at, counted, e.g. `36 files`
 * @property {readonly string[]} problems one line or more each; none when the gate holds
 *
 * @typedef {object} Gate
 * @property {string} name one word
 * @property {string} holds the rule, as a sentence
 * @property {(root: string) => Promise<GateReport>} run looks at the tree below `root`
 */

/**
 * A gate that breaks down has not held.
 *
 * @param {Gate} gate
 * @param {string} root
 * @returns {Promise<GateReport & { elapsedMs: number }>}
 */
export async function runGate(gate, root) {
  const startMs = performance.now();
  const elapsedMs = () => performance.now() - startMs;
  try {
    return { ...(await gate.run(root)), elapsedMs: elapsedMs() };
  } catch (error) {
    const problem = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return { seen: 'broke down', problems: [problem], elapsedMs: elapsedMs() };
  }
}

/** @param {string} problem */
const indent = (problem) => problem.trimEnd().replaceAll(/^(?=.)/gm, '    ');

/**
 * @param {Gate} gate
 * @param {GateReport & { elapsedMs: number }} report
 */
export function printReport(gate, { seen, problems, elapsedMs }) {
  const verdict = problems.length === 0 ? 'ok    ' : 'FAILED';
  const seconds = `${(elapsedMs / 1000).toFixed(1)} s`.padStart(7);
  process.stdout.write(`${gate.name.padEnd(13)} ${verdict} ${seconds}  ${seen}\n`);
  for (const problem of problems) process.stdout.write(`${indent(problem)}\n`);
}

/**
 * Lets a gate's file be run by itself: `node scripts/gates/rooms.mjs [root]`.
 *
 * @param {string} url `import.meta.url` of the gate's file
 * @param {Gate} gate
 */
export async function runWhenMain(url, gate) {
  const [, file, root] = process.argv;
  if (file === undefined || pathToFileURL(file).href !== url) return;
  const report = await runGate(gate, root === undefined ? repository : resolve(root));
  printReport(gate, report);
  if (report.problems.length > 0) process.exitCode = 1;
}

/**
 * @param {number} count
 * @param {string} thing in the singular
 */
export const counted = (count, thing) => `${count} ${thing}${count === 1 ? '' : 's'}`;
