// `npm run soak [-- --minutes N] [--seed N] [--write] [PATH]`: repeats the tests of properties with new
// inputs each round, the tests in which system calls fail, and those of test/soak: real faults, with bounds
// on time and memory.

import { randomInt } from 'node:crypto';
import { readdirSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, type } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from './root.mjs';
import { setUp } from './setup.mjs';
import { makeDirectory, removeLeftovers } from './soaking/leftovers.mjs';
import { table } from './soaking/results.mjs';
import { Soak } from './soaking/soak.mjs';
import {
  aloneMinutes,
  failing,
  limitMinutes,
  operationSeconds,
  properties,
  together,
  togetherMinutes,
  workers,
} from './soaking/stages.mjs';
import { runScript, StepFailed } from './steps/step-failed.mjs';

const document = 'docs/soak.md';
const usage = `usage: npm run soak [-- --minutes N] [--seed N] [--runs N] [--write] [PATH]

  --minutes N   start no round of properties, or of PATH, after N minutes (default 10)
  --seed N      the seed of the first round, to repeat a failure
  --runs N      inputs per round, as a multiple of those of npm test (default 4)
  --write       save the table of figures in ${document}
  PATH          only tests whose path contains PATH

Without PATH: all tests of test/soak within ${limitMinutes} minutes. Those that measure no latency run together, next
to the tests in which system calls fail, ${operationSeconds} s for each operation, and those of properties; then each
other one runs alone. With test/faults as PATH, each call fails in each way.
VTR_SOAK_FACTOR=0.1 shortens the long ones to a tenth, to try the run.
`;
const maxSeed = 2 ** 31 - 1;
const minuteMs = 60_000;
/** Added to the priority of properties next to other tests, which wait for answers. */
const behindOthers = 5;

function parse() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        minutes: { type: 'string', default: '10' },
        seed: { type: 'string' },
        runs: { type: 'string', default: '4' },
        write: { type: 'boolean', default: false },
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

/** The tests of test/soak that nothing may disturb. */
function alone() {
  const files = readdirSync(join(root, 'test/soak')).map((name) => `test/soak/${name}`);
  return files.filter((path) => path.endsWith('.soak.ts') && !together.includes(path));
}

/**
 * @param {Soak} soak
 * @param {() => number} nextSeed
 * @param {number} lastMs the time of day at which no further round of properties starts
 */
async function runAll(soak, nextSeed, lastMs) {
  let isOver = false;
  const waiting = soak
    .run(together, nextSeed(), { workers, limitMs: togetherMinutes * minuteMs })
    .finally(() => {
      isOver = true;
    });
  await soak.run(failing, nextSeed(), { priority: behindOthers, operationSeconds });
  do await soak.run(properties, nextSeed(), { priority: behindOthers });
  while (!isOver && Date.now() < lastMs);
  await waiting;
  await soak.run(alone(), nextSeed(), { limitMs: aloneMinutes * minuteMs });
  while (Date.now() < lastMs) await soak.run(properties, nextSeed());
}

/**
 * @param {string} rows
 * @param {number} begunMs
 * @param {number} load
 */
function page(rows, begunMs, load) {
  const date = new Date(begunMs).toISOString().slice(0, 10);
  const minutes = Math.ceil((Date.now() - begunMs) / minuteMs);
  const [cpu] = cpus();
  const machine = `${cpus().length} × ${cpu?.model.trim() ?? 'an unknown processor'}`;
  return `# Soak

The last whole run of \`npm run soak -- --write\`: ${date}, ${minutes} minutes, ${machine}, ${type()} ${process.arch},
Node ${process.versions.node}, load ${load.toFixed(1)} before it. A load is the number of processes that wanted a processor in the
minute before. The tests of ${together.map((path) => path.replace(/^.*\/|\.soak\.ts$/g, '')).join(', ')}
ran together, next to the tests in which system calls fail and those of properties; the others ran alone. Names of figures end with their unit; MB
are 1,048,576 bytes. [reliability.md](reliability.md) says what each test shows.

${rows}
`;
}

await runScript('soak', async () => {
  const { values, positionals } = parse();
  const minutes = number('minutes', values.minutes);
  let seed = values.seed === undefined ? randomInt(1, maxSeed) : number('seed', values.seed);
  if (values.write && (positionals.length > 0 || process.env['VTR_SOAK_FACTOR'] !== undefined))
    throw new StepFailed('--write is for a whole run: without PATH and VTR_SOAK_FACTOR', usage);
  const inputs = number('runs', values.runs);
  const nextSeed = () => {
    const next = seed;
    seed = randomInt(1, maxSeed);
    return next;
  };
  await setUp();
  const [begunMs, [load = 0]] = [Date.now(), loadavg()];
  const lastMs = begunMs + minutes * minuteMs;
  const directory = makeDirectory();
  const soak = new Soak(
    directory,
    inputs,
    begunMs + Math.max(limitMinutes, minutes * 2) * minuteMs,
  );
  if (positionals.length === 0) await runAll(soak, nextSeed, lastMs);
  else {
    do await soak.run(positionals, nextSeed());
    while (soak.failures.length === 0 && Date.now() < lastMs);
  }
  const left = await removeLeftovers(directory);
  const leftovers = left.map((each) => `tests left a ${each}`);
  const rows = table(soak.results);
  process.stdout.write(`\n${rows}\n`);
  if (values.write) writeFileSync(join(root, document), page(rows, begunMs, load));
  const failures = [...soak.failures, ...leftovers];
  if (failures.length > 0) throw new StepFailed(failures.join('\n      '));
});
