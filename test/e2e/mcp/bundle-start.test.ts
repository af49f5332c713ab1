import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../../../scripts/root.mjs';
import { provided } from '../../support/run/needs.ts';
import { tree } from '../../support/tree.ts';

/** Prints its directory and its interpreter. */
const fakeServer =
  'console.log(JSON.stringify([process.env.RUN_BY, process.cwd(), process.env.PATH]))';

/** A home directory with an unpacked bundle, and a PATH without Node.js. */
class Home {
  readonly directory = tree({ 'a bundle/dist/vtr.cjs': fakeServer });
  readonly bin = join(this.directory, 'bin');
  readonly #interpreter: readonly string[];

  constructor(interpreter: readonly string[]) {
    this.#interpreter = interpreter;
    cpSync(join(root, 'scripts/mcpb/start.sh'), join(this.directory, 'a bundle/start.sh'));
    mkdirSync(this.bin);
  }

  write(path: string, script: string): void {
    const file = join(this.directory, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `#!/bin/sh\n${script}\n`);
    chmodSync(file, 0o755);
  }

  /** A Node.js that reports this version and runs programs as usual. */
  node(path: string, version: string): void {
    const says = `[ "$1" != --version ] || { echo ${version}; exit; }`;
    this.write(path, `${says}\nRUN_BY=${path} exec '${process.execPath}' "$@"`);
  }

  start(path = this.bin, cwd = this.directory) {
    const [sh = '', ...options] = this.#interpreter;
    const args = [...options, join(this.directory, 'a bundle/start.sh'), '20.19'];
    const shell = join(this.directory, 'shell');
    const env = { HOME: this.directory, PATH: path, SHELL: shell };
    return spawnSync(sh, args, { cwd, env, encoding: 'utf8' });
  }

  /** The interpreter, directory and PATH of the server. */
  started(path?: string, cwd?: string): [string, string, string] {
    const { stdout, stderr } = this.start(path, cwd);
    expect(stderr).toBe('');
    return JSON.parse(stdout);
  }
}

/** Usually dash on Linux; on macOS bash, as it behaves when called sh. */
const interpreters = [[['/bin/sh']], [['/bin/bash', '--posix']]];

describe.each(interpreters)('the start of a bundle, by %j', (sh) => {
  it.each([
    ['v20.19.0', true],
    ['v20.18.3', false],
    ['v18.20.8', false],
    ['v22.0.0', true],
    ['v100.1.2', true],
    ['no version', false],
  ])('takes the first Node.js in PATH that will do: %s, %s', (version, isTaken) => {
    const home = new Home(sh);
    home.node('one/node', version);
    home.node('two/node', 'v24.1.0');
    const path = [home.bin, join(home.directory, 'one'), join(home.directory, 'two')].join(':');
    const [by, , text] = home.started(path);
    expect(by).toBe(isTaken ? 'one/node' : 'two/node');
    expect(text).toContain(join(home.directory, 'two'));
  });

  it("gets PATH from the user's shell, and passes it on", () => {
    const home = new Home(sh);
    home.node('one/node', 'v22.0.0');
    const path = `${home.bin}:${join(home.directory, 'one')}`;
    home.write('shell', `echo 'Welcome!'; PATH='${path}'; shift; eval "$1"`);
    expect(home.started()).toEqual(['one/node', home.directory, path]);
  });

  it('searches the directories of version managers', () => {
    const home = new Home(sh);
    home.write('shell', 'exit 1');
    home.node('.nvm/versions/node/v16.20.2/bin/node', 'v16.20.2');
    home.node('.nvm/versions/node/v22.11.0/bin/node', 'v22.11.0');
    const bin = join(home.directory, '.nvm/versions/node/v22.11.0/bin');
    expect(home.started()).toEqual([
      '.nvm/versions/node/v22.11.0/bin/node',
      home.directory,
      `${home.bin}:${bin}`,
    ]);
  });

  it('changes from the root directory to the home directory', () => {
    const home = new Home(sh);
    home.node('bin/node', 'v22.0.0');
    expect(home.started(home.bin, '/')).toEqual(['bin/node', home.directory, home.bin]);
  });

  const isBare = !['/opt/homebrew/bin', '/usr/local/bin', '/opt/local/bin'].some((directory) =>
    existsSync(join(directory, 'node')),
  );
  provided(isBare, 'only without a Node.js in /usr/local/bin and similar directories')(
    'reports that Node.js is missing',
    () => {
      const { status, stdout, stderr } = new Home(sh).start();
      expect([status, stdout]).toEqual([1, '']);
      expect(stderr).toMatch(/^vtr: Node\.js 20\.19 or newer is not in PATH, .*nodejs\.org\n$/);
    },
  );
});
