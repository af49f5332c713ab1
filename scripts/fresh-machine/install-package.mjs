import { readdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** @typedef {import('./fresh-machine.mjs').FreshMachine} FreshMachine */

const quiet = ['--no-audit', '--no-fund', '--loglevel=error'];

/**
 * Packs the package, installs it into an empty project and uses the command there, with the Node
 * that runs now and with others, at the same time. The output is shown when all have ended.
 *
 * @param {FreshMachine} machine
 * @param {readonly string[]} nodes versions of Node, e.g. `20.19`
 */
export async function installPackage(machine, nodes) {
  /** @type {string[][]} */
  const outputs = [];
  const newOutput = () => {
    /** @type {string[]} */
    const output = [];
    outputs.push(output);
    return (/** @type {string} */ text) => void output.push(text);
  };
  try {
    const tarball = await packPackage(machine, newOutput());
    if (tarball === null) return false;
    const uses = [null, ...nodes].map((version) =>
      useWith({ machine, tarball, version, onOutput: newOutput() }),
    );
    return (await Promise.all(uses)).every(Boolean);
  } finally {
    process.stdout.write(outputs.flat().join(''));
  }
}

/**
 * @param {FreshMachine} machine
 * @param {(text: string) => void} onOutput
 * @returns {Promise<string | null>} the path of the package; null when it cannot be packed
 */
async function packPackage(machine, onOutput) {
  const packed = machine.makeDirectory('packed');
  // `npm pack` does not compile.
  const steps = [
    ['run', '--silent', 'build'],
    ['pack', '--pack-destination', packed, ...quiet],
  ];
  for (const step of steps) if ((await machine.run('npm', step, { onOutput })) !== 0) return null;
  return join(packed, readdirSync(packed)[0] ?? '');
}

/**
 * @typedef {object} Use
 * @property {FreshMachine} machine
 * @property {string} tarball
 * @property {string | null} version of Node; null is the one that runs now
 * @property {(text: string) => void} onOutput
 */

/** @param {Use} use */
async function useWith(use) {
  const { version, onOutput } = use;
  if (version === null) return useIn(use, 'project', {});
  const path = await fetchNode(use, version);
  if (path !== null) return useIn(use, `project ${version}`, path);
  onOutput(`skipped: Node ${version} cannot be fetched\n`);
  return true;
}

/**
 * Fetches a version of Node. The npm package `node` fetches this package when it is installed.
 *
 * @param {Use} use
 * @param {string} version
 * @returns {Promise<Record<string, string> | null>} a PATH that finds it; null when it cannot be fetched
 */
async function fetchNode({ machine, onOutput }, version) {
  const directory = machine.makeDirectory(`node ${version}`);
  const name = `node-${process.platform}-${process.arch}`;
  const args = [
    'install',
    '--prefix',
    directory,
    '--ignore-scripts',
    ...quiet,
    `${name}@${version}`,
  ];
  if ((await machine.run('npm', args, { cwd: directory, onOutput })) !== 0) return null;
  const binaries = join(directory, 'node_modules', name, 'bin');
  return { PATH: [binaries, machine.env['PATH']].join(delimiter) };
}

/**
 * @param {Use} use
 * @param {string} name of the project
 * @param {Record<string, string>} path
 */
async function useIn({ machine, tarball, onOutput }, name, path) {
  const cwd = machine.makeDirectory(name);
  const env = {
    ...path,
    // `npm ci` has filled the cache of the machine.
    npm_config_cache: join(cwd, 'npm cache'),
    VTR_SOCKET: join(cwd, 'vtr.sock'),
  };
  writeFileSync(join(cwd, 'package.json'), '{ "private": true }\n');
  const npx = (/** @type {string[]} */ ...args) =>
    machine.run('npx', ['--no', ...args], { cwd, env, onOutput });
  const steps = [
    () => machine.run('node', ['--version'], { cwd, env, onOutput }),
    () => machine.run('npm', ['install', ...quiet, tarball], { cwd, env, onOutput }),
    () => npx('vtr', 'spawn', 'hello', '--', 'echo', 'hello from a new project'),
    () => npx('vtr', 'wait', 'hello'),
    () => npx('vtr', 'screen', 'hello'),
    () => npx('vtr', 'grep', 'hello', 'from a new project'),
  ];
  try {
    for (const step of steps) if ((await step()) !== 0) return false;
    return true;
  } finally {
    await npx('vtr', 'serve', '--stop');
  }
}
