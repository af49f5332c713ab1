// `npm run soak [-- --minutes N] [--seed N] [PATH]`: repeats the tests of properties with new inputs
// each round, and the tests of test/soak: real faults, with bounds on time and memory.

import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { root } from './root.mjs';
import { setUp } from './setup.mjs';
import { runScript, StepFailed } from './steps/step-failed.mjs';
import { tools } from './steps/tools.mjs';

const usage = `usage: npm run soak [-- --minutes N] [--seed N] [--runs N] [PATH]

  --minutes N   start no round after N minutes (default 10)
  --seed N      the seed of the first round, to repeat a failure
  --runs N      inputs per round, as a multiple of those of npm test (default 10)
  PATH          only tests whose path contains PATH
`;

/** Tests of properties, which use the seed. */
const properties = ['src/vt', 'src/keys', 'test/fuzz', 'test/programs/tmux-agreement'];
/**
 * Faults of programs, clients and the machine, in real processes: about five minutes per round; and pages in a
 * browser, twenty more.
 */
const faults = ['test/soak', 'test/faults'];
const maxSeed = 2 ** 31 - 1;
/** The limit of a test, in ms. */
const timeoutMs = 3_600_000;

function parse() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        minutes: { type: 'string', default: '10' },
        seed: { type: 'string' },
        runs: { type: 'string', default: '10' },
      },
    });
  } catch (error) {
    throw new StepFailed(/** @type {Error} */ (error).message, usage);
  }
}

/**
 * @param {string} name
 * @param {string | undefined} text
 */
function number(name, text) {
  const value = Number(text);
  if (!(value > 0 && value <= maxSeed))
    throw new StepFailed(`--${name} ${text} is not a positive number`, usage);
  return value;
}

/**
 * @param {number} seed
 * @param {number} runs
 * @param {readonly string[]} what
 */
async function round(seed, runs, what) {
  const variables = { VTR_TEST_SEED: `${seed}`, VTR_TEST_RUNS: `${runs}`, VTR_TEST_SOAK: '1' };
  process.stdout.write(`seed ${seed}, ${runs} times the inputs of npm test\n`);
  const env = { ...process.env, ...variables, VTR_TEST_TIMEOUT_MS: `${timeoutMs}` };
  const plain = process.stdout.isTTY ? [] : ['--no-color'];
  const args = [tools.vitest, 'run', ...plain, ...what];
  const child = spawn(process.execPath, args, { cwd: root, env, stdio: 'inherit' });
  const [code] = await once(child, 'exit');
  if (code === 0) return;
  const again = ['--seed', seed, '--runs', runs, ...what].join(' ');
  throw new StepFailed(`failed; repeat it with: npm run soak -- ${again}`);
}

await runScript('soak', async () => {
  const { values, positionals } = parse();
  const minutes = number('minutes', values.minutes);
  const runs = number('runs', values.runs);
  let seed = values.seed === undefined ? randomInt(1, maxSeed) : number('seed', values.seed);
  await setUp();
  const end = Date.now() + minutes * 60_000;
  const what = positionals.length > 0 ? positionals : [...faults, ...properties];
  do {
    await round(seed, runs, what);
    seed = randomInt(1, maxSeed);
  } while (Date.now() < end);
});
