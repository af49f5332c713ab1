// `node scripts/fresh-machine.mjs`: runs `npm start`, `npm test` and `npm run verify`, and installs the packed
// package, as on a machine that has nothing of the project.

import { parseArgs } from 'node:util';
import { FreshMachine } from './fresh-machine/fresh-machine.mjs';
import { installPackage } from './fresh-machine/install-package.mjs';
import { runScript, StepFailed } from './steps/step-failed.mjs';

const usage = `usage: node scripts/fresh-machine.mjs [--only JOB]... [--ref REF] [--bare] [--node VERSION]...

Clones the checkout into a temporary directory, with an empty HOME and an empty npm cache, and runs
these jobs there:

  start     npm start
  test      npm test
  verify    npm run verify
  install   npm pack; installs the package into an empty project and uses it there

After a start that passed, install runs beside test and verify; its output is shown at its end.

  --only JOB       run this job; repeat it for several
  --ref REF        clone this commit, branch or tag instead of HEAD
  --bare           hide zsh, fish, tmux, htop, vim and other programs that tests use
  --node VERSION   run the job install again with this version of Node, fetched from the npm
                   registry; repeat it for several
`;

/** @type {Record<string, (machine: FreshMachine, nodes: readonly string[]) => Promise<boolean>>} */
const jobs = {
  start: async (machine) => (await machine.run('npm', ['start'])) === 0,
  test: async (machine) => (await machine.run('npm', ['test'])) === 0,
  verify: async (machine) => (await machine.run('npm', ['run', 'verify'])) === 0,
  install: installPackage,
};

/** @type {string[]} */
const noVersions = [];

function parse() {
  try {
    const { values } = parseArgs({
      options: {
        only: { type: 'string', multiple: true, default: Object.keys(jobs) },
        ref: { type: 'string', default: 'HEAD' },
        bare: { type: 'boolean', default: false },
        node: { type: 'string', multiple: true, default: noVersions },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    const unknown = values.only.find((job) => !(job in jobs));
    if (unknown !== undefined) throw new Error(`there is no job ${unknown}`);
    return values;
  } catch (error) {
    throw new StepFailed(/** @type {Error} */ (error).message, usage);
  }
}

/** @param {ReturnType<typeof parse>} options */
async function runJobs({ only, ref, bare, node }) {
  const machine = await FreshMachine.create({ ref, bare });
  /** @param {string} job */
  const runJob = async (job) => {
    const begin = Date.now();
    const passed = (await jobs[job]?.(machine, node)) ?? false;
    if (!passed) process.exitCode = 1;
    const seconds = Math.round((Date.now() - begin) / 1000);
    return { job, passed, line: `${job} ${passed ? 'passed' : 'failed'} (${seconds} s)` };
  };
  try {
    const [first = '', ...others] = only;
    const ended = [await runJob(first)];
    // Otherwise each of them would set the checkout up.
    const isSetUp = first === 'start' && ended[0]?.passed === true;
    /** @param {readonly string[]} names */
    const runInOrder = async (names) => {
      for (const job of names) ended.push(await runJob(job));
    };
    const isBeside = (/** @type {string} */ job) => isSetUp && job === 'install';
    await Promise.all([
      runInOrder(others.filter((job) => !isBeside(job))),
      runInOrder(others.filter(isBeside)),
    ]);
    ended.sort((a, b) => only.indexOf(a.job) - only.indexOf(b.job));
    const report = ended.map(({ line }) => line).join(', ');
    process.stdout.write(`\nfresh machine: ${report}\n`);
  } finally {
    machine.remove();
  }
}

await runScript('fresh-machine', async () => {
  const options = parse();
  if (options.help) process.stdout.write(usage);
  else await runJobs(options);
});
