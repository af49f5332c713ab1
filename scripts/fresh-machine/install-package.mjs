import { readdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** @typedef {import('./fresh-machine.mjs').FreshMachine} FreshMachine */

const quiet = ['--no-audit', '--no-fund', '--loglevel=error'];

/**
 * Packs the package, installs it into an empty project and uses the command there, with the Node
 * that runs now and with others.
 *
 * @param {FreshMachine} machine
 * @param {readonly string[]} nodes versions of Node, e.g. `20.19`
 */
export async function installPackage(machine, nodes) {
  const packed = machine.makeDirectory('packed');
  // `npm pack` does not compile.
  if ((await machine.run('npm', ['run', '--silent', 'build'])) !== 0) return false;
  if ((await machine.run('npm', ['pack', '--pack-destination', packed, ...quiet])) !== 0)
    return false;
  const tarball = join(packed, readdirSync(packed)[0] ?? '');
  let passed = await useIn(machine, 'project', tarball, {});
  for (const version of nodes) {
    const path = await fetchNode(machine, version);
    if (path === null) process.stdout.write(`skipped: Node ${version} cannot be fetched\n`);
    else passed = (await useIn(machine, `project ${version}`, tarball, path)) && passed;
  }
  return passed;
}

/**
 * Fetches a version of Node. The npm package `node` fetches this package when it is installed.
 *
 * @param {FreshMachine} machine
 * @param {string} version
 * @returns {Promise<Record<string, string> | null>} a PATH that finds it; null when it cannot be fetched
 */
async function fetchNode(machine, version) {
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
  if ((await machine.run('npm', args, { cwd: directory })) !== 0) return null;
  const binaries = join(directory, 'node_modules', name, 'bin');
  return { PATH: [binaries, machine.env['PATH']].join(delimiter) };
}

/**
 * @param {FreshMachine} machine
 * @param {string} name of the project
 * @param {string} tarball
 * @param {Record<string, string>} path
 */
async function useIn(machine, name, tarball, path) {
  const cwd = machine.makeDirectory(name);
  const env = {
    ...path,
    // `npm ci` has filled the cache of the machine.
    npm_config_cache: join(cwd, 'npm cache'),
    VTR_SOCKET: join(cwd, 'vtr.sock'),
  };
  writeFileSync(join(cwd, 'package.json'), '{ "private": true }\n');
  const npx = (/** @type {string[]} */ ...args) =>
    machine.run('npx', ['--no', ...args], { cwd, env });
  const steps = [
    () => machine.run('node', ['--version'], { cwd, env }),
    () => machine.run('npm', ['install', ...quiet, tarball], { cwd, env }),
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
