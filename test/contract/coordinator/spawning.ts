import { chmodSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ErrorCode, SpawnRequest } from '#model';
import { tree } from '../../support/tree.ts';
import type { CoordinatorFixture } from '../coordinator.ts';

interface Refusal {
  readonly why: string;
  readonly request: (directory: string) => SpawnRequest;
  readonly code: ErrorCode;
  /** A part of the message that tells the caller what to change. */
  readonly says: RegExp;
}

const badSizes = [0, -5, 1001, 70_000, 1.5, Number.NaN, Number.POSITIVE_INFINITY];

const refusals: readonly Refusal[] = [
  {
    why: 'a program that is not there',
    request: () => ({ program: 'no-such-program' }),
    code: 'PROGRAM_NOT_FOUND',
    says: /no-such-program.*full path/,
  },
  {
    why: 'an empty program',
    request: () => ({ program: '' }),
    code: 'PROGRAM_NOT_FOUND',
    says: /program name is empty/,
  },
  {
    why: 'a file that may not be executed',
    request: (directory) => ({ program: join(directory, 'plain') }),
    code: 'PROGRAM_NOT_EXECUTABLE',
    says: /plain.*chmod/,
  },
  {
    why: 'a working directory that is not there',
    request: () => ({ program: 'sh', cwd: '/no/such/directory' }),
    code: 'CWD_NOT_FOUND',
    says: /\/no\/such\/directory.*create it/,
  },
  {
    why: 'a working directory that is not a directory',
    request: (directory) => ({ program: 'sh', cwd: join(directory, 'plain') }),
    code: 'CWD_NOT_DIRECTORY',
    says: /plain.*not a directory/,
  },
  {
    why: 'a relative working directory',
    request: () => ({ program: 'sh', cwd: 'here' }),
    code: 'INVALID_ARGUMENT',
    says: /here.*absolute/,
  },
  {
    why: 'NUL in an argument',
    request: () => ({ program: 'sh', args: ['a\0b'] }),
    code: 'NUL_IN_STRING',
    says: /args\[0\].*remove/,
  },
  {
    why: 'NUL in the environment',
    request: () => ({ program: 'sh', env: { LETTER: '\0' } }),
    code: 'NUL_IN_STRING',
    says: /LETTER/,
  },
  {
    why: 'a name that no environment can hold',
    request: () => ({ program: 'sh', env: { 'A=B': '' } }),
    code: 'INVALID_ARGUMENT',
    says: /A=B/,
  },
  ...badSizes.flatMap((side): Refusal[] => [
    {
      why: `${side} columns`,
      request: () => ({ program: 'sh', size: { cols: side, rows: 24 } }),
      code: 'INVALID_SIZE',
      says: /cols is .*1 to 1000/,
    },
    {
      why: `${side} rows`,
      request: () => ({ program: 'sh', size: { cols: 80, rows: side } }),
      code: 'INVALID_SIZE',
      says: /rows is .*1 to 1000/,
    },
  ]),
];

export function spawningContract(fixture: CoordinatorFixture): void {
  describe('spawn', () => {
    /** Returns the output of a script. */
    const printed = async (script: string, more: SpawnRequest = {}, driver = fixture.driver) => {
      const session = await driver.sh(script, more);
      await driver.exitOf(session);
      return driver.text(session);
    };

    it('returns the whole state of the session', async () => {
      const before = Date.now();
      const session = await fixture.driver.spawn({
        name: 'build',
        program: 'sleep',
        args: ['1000'],
        cwd: tmpdir(),
        size: { cols: 100, rows: 30 },
      });
      expect(session).toEqual({
        name: 'build',
        id: expect.stringMatching(/./),
        state: 'running',
        program: expect.stringMatching(/^\/.*\/sleep$/),
        args: ['1000'],
        cwd: tmpdir(),
        pid: expect.any(Number),
        size: { cols: 100, rows: 30 },
        title: '',
        revision: expect.any(Number),
        createdAtMs: expect.any(Number),
        exitedAtMs: null,
        exitStatus: null,
        driverEpoch: 1,
        environment: { kind: 'caller', notPassed: [] },
        // Absent where it ends with its coordinator.
        ...('persist' in session && { persist: { state: 'memory' } }),
      });
      expect(session.createdAtMs).toBeGreaterThanOrEqual(before);
      expect(await fixture.coordinator.info('build')).toMatchObject({
        id: session.id,
        pid: session.pid,
      });
    });

    it('uses defaults: a generated name, the shell, the directory, 80x24', async () => {
      const cwd = tree();
      const environment = { SHELL: '/bin/sh', PATH: process.env['PATH'] ?? '', HOME: cwd };
      const driver = await fixture.another({ cwd, environment });
      const session = await driver.spawn({});
      expect(session).toMatchObject({
        name: expect.stringMatching(/^sess_[a-z0-9]{8}$/),
        program: '/bin/sh',
        args: [],
        cwd,
        size: { cols: 80, rows: 24 },
      });
      await driver.coordinator.sendText(session, 'echo "$PWD is home"; exit 0\r');
      await driver.exitOf(session);
      // If it was typed before the prompt appeared, the prompt is before the answer.
      expect(await driver.text(session)).toContain(`${cwd} is home`);
    });

    it('passes arguments unchanged', async () => {
      const args = ['a b', '', '*', '$HOME', `"'\\`, 'ä漢', 'two\nlines', '-n'];
      const script = `for each; do printf '<%s>' "$each"; done`;
      const session = await fixture.driver.spawn({
        program: 'sh',
        args: ['-c', script, 'sh', ...args],
      });
      await fixture.driver.exitOf(session);
      const shown = args.map((each) => `<${each}>`).join('');
      expect(await fixture.driver.text(session)).toBe(shown);
    });

    it('gives the program a terminal, a size and a session of its own', async () => {
      const text = await printed('tty >/dev/null && stty size && echo "$TERM $VTR_SESSION"', {
        name: 'mine',
        size: { cols: 101, rows: 31 },
      });
      expect(text).toBe('31 101\nxterm-256color mine');
    });

    it('removes secrets from the environment, except given variables', async () => {
      const environment = { PATH: process.env['PATH'] ?? '', API_TOKEN: 'secret', COLOR: 'red' };
      const driver = await fixture.another({ environment });
      const script = 'echo "[$API_TOKEN][$COLOR][$GITHUB_TOKEN]$' + '{EMPTY-unset}"';
      const env = { GITHUB_TOKEN: 'given', EMPTY: '' };
      expect(await printed(script, { env }, driver)).toBe('[][red][given]');
      const minimal = { env: { COLOR: 'blue' }, environment: 'minimal' } as const;
      expect(await printed('echo "[$API_TOKEN][$COLOR]"', minimal, driver)).toBe('[][blue]');
      expect(await printed('echo "[$COLOR]"', { environment: 'minimal' }, driver)).toBe('[]');
    });

    it("passes the caller's environment, whatever the coordinator's own", async () => {
      const directory = tree({ tool: '#!/bin/sh\necho found' });
      chmodSync(join(directory, 'tool'), 0o755);
      const path = process.env['PATH'] ?? '';
      const driver = await fixture.another({ environment: { PATH: path, OWN: '1' } });
      const caller = {
        variables: { PATH: `${directory}:${path}`, FOO: 'bar', SHELL: '/bin/sh' },
        notPassed: ['A_TOKEN', 'B_TOKEN'],
      };
      const env = { A_TOKEN: 'given' };
      expect(await printed('echo "[$FOO][$OWN]"', { caller, env }, driver)).toBe('[bar][]');
      expect(await printed('tool', { caller, name: 'tool' }, driver)).toBe('found');
      expect(await driver.coordinator.info('tool')).toMatchObject({
        environment: { kind: 'caller', notPassed: ['A_TOKEN', 'B_TOKEN'] },
      });
      const { environment } = await driver.spawn({ program: 'tool', caller, env });
      expect(environment).toEqual({ kind: 'caller', notPassed: ['B_TOKEN'] });
      expect((await driver.spawn({ caller })).program).toBe('/bin/sh');
      const few = { caller, environment: 'minimal' } as const;
      expect(await printed('echo "[$FOO]"; tool', few, driver)).toBe('[]\nfound');
    });

    it('names the PATH that was searched', async () => {
      const caller = { variables: { PATH: '/no/such:/usr/bin' }, notPassed: [] };
      await expect(fixture.coordinator.spawn({ program: 'no-tool', caller })).rejects.toMatchObject(
        {
          code: 'PROGRAM_NOT_FOUND',
          message: expect.stringMatching(/PATH is \/no\/such:\/usr\/bin$/),
        },
      );
    });

    it.each(refusals)('[S4.11] rejects $why with $code, and leaves nothing', async (refusal) => {
      const directory = tree({ plain: 'text' });
      chmodSync(join(directory, 'plain'), 0o644);
      const spawning = fixture.coordinator.spawn({ name: 'build', ...refusal.request(directory) });
      await expect(spawning).rejects.toMatchObject({
        code: refusal.code,
        message: expect.stringMatching(refusal.says),
      });
      await expect(spawning).rejects.toThrow(/^session build: /);
      expect(await fixture.coordinator.list()).toEqual([]);
      await fixture.driver.spawn({ name: 'build', program: 'true' });
    });

    it('[S4.11] rejects a script whose interpreter does not exist', async () => {
      const directory = tree();
      const program = join(directory, 'script');
      writeFileSync(program, '#!/no/such/interpreter\n', { mode: 0o755 });
      await expect(fixture.coordinator.spawn({ program })).rejects.toMatchObject({
        code: 'PROGRAM_NOT_FOUND',
        message: expect.stringContaining('/no/such/interpreter'),
      });
    });

    it.each([1, 1000])('accepts a side of %i', async (side) => {
      const size = { cols: side, rows: side };
      const session = await fixture.driver.spawn({ program: 'true', size });
      expect(session.size).toEqual(size);
    });
  });
}
