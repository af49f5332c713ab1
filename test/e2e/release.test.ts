import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { nodeBinary } from '#app/cli';
import { lockedPackages } from '../../scripts/mcpb/pty-packages.mjs';
import { checkTree, checkVersion, notesOf } from '../../scripts/release/checks.mjs';
import { archiveFor, systems } from '../../scripts/release/self-contained.mjs';
import { withZipTime } from '../../scripts/release/zip-time.mjs';
import { root } from '../../scripts/root.mjs';
import { provided } from '../support/run/needs.ts';
import { tree } from '../support/tree.ts';

const system = `${process.platform}-${process.arch}`;

const changelog = `# Changelog

## [Unreleased]

### Added

- New.

## [1.1.0] - 2026-12-01

- Older.

## [1.0.0]

- Without a date.

## [0.9.0] - 2026-01-01

[1.1.0]: https://example.org
`;

describe('the notes of a release', () => {
  it('are the section of the version', () => {
    expect(notesOf(changelog, '1.1.0', { isTry: false })).toBe('- Older.\n');
  });

  it('may be unreleased when it is tried', () => {
    expect(notesOf(changelog, '2.0.0', { isTry: true })).toBe('### Added\n\n- New.\n');
    expect(() => notesOf(changelog, '2.0.0', { isTry: false })).toThrow(
      /no notes of 2\.0\.0; move/,
    );
  });

  it('need a date and a text', () => {
    expect(() => notesOf(changelog, '1.0.0', { isTry: true })).toThrow(/1\.0\.0 .* has no date/);
    expect(() => notesOf(changelog, '0.9.0', { isTry: true })).toThrow(/no notes of 0\.9\.0/);
  });
});

describe('a release', () => {
  function repository(): string {
    const directory = tree({ file: 'one\n' });
    const git = (...args: readonly string[]) =>
      execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@localhost', ...args], {
        cwd: directory,
        timeout: 60_000,
      });
    git('init', '-q');
    git('add', '.');
    git('commit', '-qm', 'one');
    git('tag', 'v1.0.0');
    return directory;
  }

  it('is refused if the work tree has changes', async () => {
    const directory = repository();
    await checkTree(directory);
    writeFileSync(join(directory, 'new'), '');
    await expect(checkTree(directory)).rejects.toMatchObject({
      message: 'the work tree has a file that is not committed',
      output: '?? new',
    });
  });

  it('is refused if its version has a tag', async () => {
    await expect(checkVersion(repository(), 'vtr', '1.0.0')).rejects.toThrow(
      '1.0.0 exists: there is a tag v1.0.0; raise version in package.json',
    );
  });

  it('names what it knows no archive for', () => {
    const script = join(root, 'scripts/release.mjs');
    const options = { encoding: 'utf8', timeout: 120_000 } as const;
    const { status, stderr } = spawnSync(process.execPath, [script, '--system', 'beos'], options);
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: `release: there is no archive for beos: known are ${systems.join(', ')}\n`,
    });
  });
});

/** Fetched from the registry once per clone. */
const [platform = '', arch = ''] = system.split('-');
const hasNode =
  systems.includes(system) &&
  (await lockedPackages(root, ['@lydell/node-pty', `@lydell/node-pty-${system}`])
    .then(() => nodeBinary({ platform, arch }, join(root, 'build/release/node'), process.env))
    .then(
      () => true,
      () => false,
    ));

describe('the archive with Node.js', () => {
  const packed = provided(hasNode, 'needs the npm registry');
  let archive: Uint8Array;
  const at = { top: 'vtr', timeS: 1_700_000_000 };
  beforeAll(async () => {
    if (hasNode) archive = (await archiveFor(root, system, at)).bytes;
  }, 300_000);

  packed('runs where no program is in PATH', () => {
    const directory = tree();
    execFileSync('tar', ['-xzf', '-', '-C', directory], { input: archive, timeout: 120_000 });
    const home = join(directory, 'home');
    mkdirSync(home);
    const env = { HOME: home, PATH: '/nowhere', VTR_SOCKET: join(directory, 's') };
    const vtr = (...args: readonly string[]) => {
      const options = { env, encoding: 'utf8', timeout: 120_000 } as const;
      const { status, stdout } = spawnSync(join(directory, 'vtr/bin/vtr'), args, options);
      return { status, stdout };
    };
    try {
      expect(vtr('spawn', 'demo', '--', '/bin/sh')).toEqual({ status: 0, stdout: 'demo\n' });
      expect(vtr('run', 'demo', '--', 'echo it runs; (exit 3)')).toEqual({
        status: 3,
        stdout: 'it runs\n',
      });
      const { stdout: doctor } = vtr('doctor');
      expect(doctor).toMatch(/^ok +node: .*v?24\./m);
      // Files that a daemon reads are in the archive, too.
      expect(doctor).not.toMatch(/^problem/m);
    } finally {
      expect(vtr('serve', '--stop').status).toBe(0);
    }
    symlinkSync(join(directory, 'vtr/bin/termcp'), join(directory, 'link'));
    const termcp = spawnSync(join(directory, 'link'), ['--version'], {
      env: { ...env, PATH: '/usr/bin:/bin' },
      encoding: 'utf8',
      timeout: 120_000,
    });
    expect(termcp.stdout).toMatch(/^termcp \d/);
  });
});

describe('a zip with one time', () => {
  it('is the same for files with other times', () => {
    // PKZIP's own layout, as APPNOTE.TXT has it: a stored file, its entry in the directory, the end.
    const zip = (time: number) => {
      const local = Buffer.alloc(30 + 1);
      local.write('PK\x03\x04');
      local.writeUInt32LE(time, 10);
      local.writeUInt16LE(1, 26);
      local.write('a', 30);
      const entry = Buffer.alloc(46 + 1);
      entry.write('PK\x01\x02');
      entry.writeUInt32LE(time, 12);
      entry.writeUInt16LE(1, 28);
      entry.write('a', 46);
      const end = Buffer.alloc(22);
      end.write('PK\x05\x06');
      end.writeUInt16LE(1, 10);
      end.writeUInt32LE(entry.length, 12);
      end.writeUInt32LE(local.length, 16);
      return Buffer.concat([local, entry, end]);
    };
    const at = Date.UTC(2026, 10, 30, 2, 4, 6) / 1000;
    const zipAt = withZipTime(zip(1), at);
    expect(zipAt).toEqual(withZipTime(zip(0xffffffff), at));
    // 2026-11-30 02:04:06, as MS-DOS has it.
    expect(zipAt.readUInt16LE(10)).toBe((2 << 11) | (4 << 5) | 3);
    expect(zipAt.readUInt16LE(12)).toBe((46 << 9) | (11 << 5) | 30);
  });
});
