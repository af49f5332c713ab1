import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../../scripts/root.mjs';
import { needs } from '../support/run/needs.ts';
import { tree } from '../support/tree.ts';

/** Prints as JSON where it runs, and with which environment. */
const npm = `#!/usr/bin/env node
const { existsSync, readdirSync, readFileSync, writeFileSync } = require('node:fs');
const { env } = process;
const [, , ...words] = process.argv;
const job = words.filter((each) => each !== 'run')[0];
if (env.FAILING === job) process.exit(3);
if (job === 'pack') writeFileSync('packed', '');
const lastMs = Date.now() + 10_000;
while (env.AWAITING_PACK === job && !existsSync('packed')) {
  if (Date.now() > lastMs) process.exit(4);
}
console.log(JSON.stringify({
  job,
  cwd: process.cwd(),
  files: readdirSync('.').filter((name) => name !== 'scripts'),
  home: readdirSync(env.HOME),
  cache: existsSync(env.npm_config_cache) ? readdirSync(env.npm_config_cache) : null,
  config: readFileSync(env.npm_config_userconfig, 'utf8'),
  variables: Object.keys(env),
  programs: env.PATH.split(':').filter((each) => each !== '').flatMap((each) => {
    try { return readdirSync(each); } catch { return []; }
  }),
}));
`;

const settings =
  'cache=/warm\nregistry=http://registry.example/\nprefix=/elsewhere\ncafile=/ca.pem\n';

/** A directory with the script in `checkout`, and stand-ins for programs in `bin`. */
function machine() {
  const directory = tree({
    'checkout/committed.txt': '',
    'home/.npmrc': settings,
    'bin/npm': npm,
    'bin/npx': '#!/bin/sh\n',
    'bin/zsh': '#!/bin/sh\n',
    'bin/neighbour': '#!/bin/sh\n',
    'tmp/README': '',
  });
  for (const name of readdirSync(join(directory, 'bin'))) {
    chmodSync(join(directory, 'bin', name), 0o755);
  }
  for (const path of ['root.mjs', 'fresh-machine.mjs', 'fresh-machine', 'steps']) {
    const copied = join(directory, 'checkout/scripts', path);
    cpSync(join(root, 'scripts', path), copied, { recursive: true });
  }
  const env = {
    PATH: [join(directory, 'bin'), process.env['PATH']].join(delimiter),
    HOME: join(directory, 'home'),
    TMPDIR: join(directory, 'tmp'),
    LANG: 'C.UTF-8',
  };
  const run = (words: readonly string[], more: Readonly<Record<string, string>> = {}) => {
    const script = join(directory, 'checkout/scripts/fresh-machine.mjs');
    const options = { encoding: 'utf8', env: { ...env, ...more }, cwd: '/' } as const;
    const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...words], options);
    const jobs = stdout.split('\n').filter((line) => line.startsWith('{'));
    return { status, stdout, stderr, jobs: jobs.map((line) => JSON.parse(line)) };
  };
  const commit = () => {
    const git = (...args: readonly string[]) =>
      spawnSync('git', ['-C', join(directory, 'checkout'), ...args], { env });
    const author = ['-c', 'user.name=a', '-c', 'user.email=a@b'];
    git('init', '--quiet');
    git('add', '.');
    git(...author, 'commit', '--quiet', '--message', 'first');
  };
  return { directory, run, commit };
}

describe('a fresh machine', () => {
  needs('git')('has a clone of the commit, in a directory whose path has a space', () => {
    const { directory, run, commit } = machine();
    commit();
    cpSync(join(directory, 'home/.npmrc'), join(directory, 'checkout/uncommitted.txt'));
    const { status, stdout, jobs } = run(['--only', 'start', '--only', 'test']);
    expect(status).toBe(0);
    expect(stdout).toContain('uncommitted changes are not included');
    expect(jobs.map(({ job }) => job)).toEqual(['start', 'test']);
    expect(jobs[1].cwd).toMatch(/ .*\/vtr$/);
    expect(jobs[1].files).toEqual(['.git', 'committed.txt']);
    expect(stdout).toMatch(/\nfresh machine: start passed \(\d+ s\), test passed \(\d+ s\)\n$/);
  });

  it('has a copy of a directory that is not a repository, without outputs', () => {
    const { directory, run } = machine();
    for (const output of ['dist', 'node_modules', 'build']) {
      cpSync(join(directory, 'tmp'), join(directory, 'checkout', output), { recursive: true });
    }
    const { status, jobs } = run(['--only', 'test']);
    expect(status).toBe(0);
    expect(jobs[0].files).toEqual(['committed.txt']);
  });

  it('has an empty HOME and an empty npm cache, and can reach the registry', () => {
    const { jobs } = machine().run(['--only', 'test'], {
      XDG_CONFIG_HOME: '/x',
      VTR_SOCKET: '/x',
      VTR_TEST_PYTHON: '/x',
      npm_config_cache: '/x',
      npm_config_https_proxy: 'http://proxy.example',
    });
    expect(jobs[0]).toMatchObject({
      home: [],
      cache: [],
      config: 'registry=http://registry.example/\ncafile=/ca.pem\n',
    });
    const { variables } = jobs[0];
    expect(variables).toEqual(expect.arrayContaining(['LANG', 'VTR_TEST_PYTHON']));
    expect(variables).toContain('npm_config_https_proxy');
    expect(variables).not.toContain('VTR_SOCKET');
    expect(variables).not.toContain('XDG_CONFIG_HOME');
  });

  it('hides the programs that it may lack with --bare, and no other', () => {
    const { run } = machine();
    const programs = (...flags: string[]) => run(['--only', 'test', ...flags]).jobs[0].programs;
    expect(programs()).toEqual(expect.arrayContaining(['neighbour', 'zsh']));
    const left = programs('--bare');
    expect(left).toEqual(expect.arrayContaining(['neighbour', 'npm', 'sh']));
    expect(left).not.toEqual(expect.arrayContaining(['zsh']));
  });

  it('runs every job after one that fails, and fails', () => {
    const { run } = machine();
    const jobs = ['--only', 'start', '--only', 'test'];
    const { status, stdout } = run(jobs, { FAILING: 'start' });
    expect(status).toBe(1);
    expect(stdout).toMatch(/start failed \(\d+ s\), test passed/);
  });

  it('tests and installs at the same time, once start has passed', () => {
    const { run } = machine();
    const { status, stdout, jobs } = run([], { AWAITING_PACK: 'test' });
    expect(status).toBe(0);
    expect(stdout).toMatch(/start passed .*, test passed .*, verify passed .*, install passed/);
    const own = jobs.map(({ job }) => job).filter((job) => /start|test|verify/.test(job));
    expect(own).toEqual(['start', 'test', 'verify']);
    expect(stdout).toMatch(/\$ npm pack .*\n(.*\n)*\$ npx --no vtr screen hello\n/);
    const later = run([], { FAILING: 'start' });
    expect(later.stdout).toMatch(
      /start failed .*, test passed .*, verify passed .*, install passed/,
    );
    expect(later.jobs.find(({ job }) => job === 'test').files).not.toContain('packed');
  });

  it('leaves nothing behind', () => {
    const { directory, run } = machine();
    run(['--only', 'test'], { FAILING: 'test' });
    expect(readdirSync(join(directory, 'tmp'))).toEqual(['README']);
  });

  it.each([
    [['--only', 'lunch'], 'there is no job lunch'],
    [['--ref', 'nowhere'], 'there is no commit nowhere'],
    [['--fast'], "Unknown option '--fast'"],
  ])('refuses %j', (words, message) => {
    const { directory, run } = machine();
    const { status, stderr } = run(words);
    expect(status).toBe(1);
    expect(stderr).toContain(message);
    expect(readdirSync(join(directory, 'tmp'))).toEqual(['README']);
  });
});
