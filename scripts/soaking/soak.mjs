import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../root.mjs';
import { readResults } from './results.mjs';
import { runTests } from './run-tests.mjs';

/** @typedef {import('./results.mjs').Result} Result */

const minuteMs = 60_000;

/** Runs of tests, with their results and the reasons of failures. */
export class Soak {
  /** @type {Result[]} */
  results = [];
  /** @type {string[]} */
  failures = [];
  #directory;
  #inputs;
  #endMs;
  #count = 0;

  /**
   * @param {string} directory for temporary files of tests
   * @param {number} inputs of a property, as a multiple of those of `npm test`
   * @param {number} endMs time of day at which runs are ended
   */
  constructor(directory, inputs, endMs) {
    this.#directory = directory;
    this.#inputs = inputs;
    this.#endMs = endMs;
  }

  /**
   * @param {readonly string[]} what paths of tests; those of test/soak run in this order
   * @param {number} seed
   * @param {object} [options]
   * @param {number} [options.workers] files that run at a time
   * @param {number} [options.priority] see {@link runTests}
   * @param {number} [options.limitMs] of each test
   * @param {number} [options.operationSeconds] time for the failures of one operation; default no limit
   */
  async run(what, seed, options = {}) {
    const { workers = 1, priority = 0, limitMs = 60 * minuteMs, operationSeconds } = options;
    const figures = join(root, `build/soak/${this.#count++}.jsonl`);
    mkdirSync(join(root, 'build/soak'), { recursive: true });
    rmSync(figures, { force: true });
    process.stdout.write(`seed ${seed}, ${this.#inputs} times the inputs of npm test\n`);
    const variables = {
      VTR_TEST_SEED: `${seed}`,
      VTR_TEST_RUNS: `${this.#inputs}`,
      VTR_TEST_WORKERS: `${workers}`,
      VTR_TEST_TIMEOUT_MS: `${limitMs}`,
      VTR_TEST_FIGURES: figures,
      ...(operationSeconds === undefined ? {} : { VTR_TEST_OPERATION_S: `${operationSeconds}` }),
      TMPDIR: this.#directory,
    };
    const failure = await runTests(what, variables, this.#endMs, priority);
    const results = readResults(figures);
    this.results.push(...results);
    if (failure !== '') {
      const again = ['--seed', seed, '--runs', this.#inputs, ...what].join(' ');
      this.failures.push(`${failure}; repeat it with: npm run soak -- ${again}`);
    }
  }
}
