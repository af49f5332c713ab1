import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root as repository } from '../root.mjs';

/**
 * The report of a gate. A gate that reads nothing reports that as a problem, so that it cannot pass
 * without a check.
 *
 * @typedef {object} GateReport
 * @property {string} seen the things checked, counted, e.g. `36 files`
 * @property {readonly string[]} problems of one line or more; empty when the gate passes
 *
 * @typedef {object} Gate
 * @property {string} name one word
 * @property {string} holds the rule, as a sentence
 * @property {(root: string) => Promise<GateReport>} run checks the tree below `root`
 */

/**
 * Runs a gate. An exception is a problem.
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
    return { seen: 'threw an exception', problems: [problem], elapsedMs: elapsedMs() };
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
 * Runs the gate when its file is the main program: `node scripts/gates/rooms.mjs [root]`.
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
