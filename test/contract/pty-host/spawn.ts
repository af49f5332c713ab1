import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ErrorCode } from '#model';
import type { PtySpawnRequest } from '#pty';
import { hasProc } from '../../support/pty/process-facts.ts';
import { ptyRequest } from '../../support/pty/pty-request.ts';
import { provided } from '../../support/run/needs.ts';
import type { HostFixture } from '../pty-host.ts';

interface Refusal {
  readonly why: string;
  readonly request: (directory: string) => PtySpawnRequest;
  readonly code: ErrorCode;
  /** The part of the message that tells the caller what to change. */
  readonly names: RegExp;
}

const refusals: readonly Refusal[] = [
  {
    why: 'a program that is not in PATH',
    request: () => ptyRequest('no-such-program-anywhere'),
    code: 'PROGRAM_NOT_FOUND',
    names: /no-such-program-anywhere.*PATH/,
  },
  {
    why: 'a path that does not exist',
    request: () => ptyRequest('/no/such/program'),
    code: 'PROGRAM_NOT_FOUND',
    names: /\/no\/such\/program/,
  },
  {
    why: 'an empty program name',
    request: () => ptyRequest(''),
    code: 'PROGRAM_NOT_FOUND',
    names: /program name is empty/,
  },
  {
    why: 'a script whose interpreter is missing',
    request: (directory) => ptyRequest(join(directory, 'lost-script')),
    code: 'PROGRAM_NOT_FOUND',
    names: /lost-script.*\/no\/such\/interpreter/,
  },
  {
    why: 'a file without execute permission',
    request: (directory) => ptyRequest(join(directory, 'plain-file')),
    code: 'PROGRAM_NOT_EXECUTABLE',
    names: /plain-file.*chmod/,
  },
  {
    why: 'a directory as program',
    request: (directory) => ptyRequest(directory),
    code: 'PROGRAM_NOT_EXECUTABLE',
    names: /is a directory/,
  },
  {
    why: 'a working directory that does not exist',
    request: () => ptyRequest('sh', [], { cwd: '/no/such/directory' }),
    code: 'CWD_NOT_FOUND',
    names: /\/no\/such\/directory/,
  },
  {
    why: 'a file as working directory',
    request: (directory) => ptyRequest('sh', [], { cwd: join(directory, 'plain-file') }),
    code: 'CWD_NOT_DIRECTORY',
    names: /plain-file/,
  },
  {
    why: 'a relative working directory',
    request: () => ptyRequest('sh', [], { cwd: 'here' }),
    code: 'INVALID_ARGUMENT',
    names: /here.*absolute/,
  },
  {
    why: 'NUL in the program',
    request: () => ptyRequest('s\0h'),
    code: 'NUL_IN_STRING',
    names: /program/,
  },
  {
    why: 'NUL in an argument',
    request: () => ptyRequest('sh', ['-c', 'true', 'a\0b']),
    code: 'NUL_IN_STRING',
    names: /args\[2\]/,
  },
  {
    why: 'NUL in the working directory',
    request: () => ptyRequest('sh', [], { cwd: '/t\0mp' }),
    code: 'NUL_IN_STRING',
    names: /cwd/,
  },
  {
    why: 'NUL in a value of the environment',
    request: () => ptyRequest('sh', [], { env: { LETTER: 'a\0b' } }),
    code: 'NUL_IN_STRING',
    names: /env LETTER/,
  },
  {
    why: 'NUL in a name of the environment',
    request: () => ptyRequest('sh', [], { env: { 'L\0': 'a' } }),
    code: 'NUL_IN_STRING',
    names: /name of env/,
  },
  {
    why: 'an invalid name of a variable',
    request: () => ptyRequest('sh', [], { env: { 'A=B': 'c' } }),
    code: 'INVALID_ARGUMENT',
    names: /A=B/,
  },
  ...[0, -5, 1001, 70_000, 1.5, Number.NaN].map((cols) => ({
    why: `${cols} columns`,
    request: () => ptyRequest('sh', [], { size: { cols, rows: 24 } }),
    code: 'INVALID_SIZE' as const,
    names: /cols/,
  })),
];

/** Refusals before the start, and the environment of a started program. */
export function spawnContract(fixture: HostFixture): void {
  describe('spawn', () => {
    let directory = '';

    beforeAll(() => {
      directory = mkdtempSync(join(tmpdir(), 'vtr-spawn-'));
      writeFileSync(join(directory, 'plain-file'), 'text');
      writeFileSync(join(directory, 'lost-script'), '#!/no/such/interpreter -x\n');
      chmodSync(join(directory, 'lost-script'), 0o755);
    });
    afterAll(() => rmSync(directory, { recursive: true }));

    it.each(refusals)('refuses $why with $code', async ({ request, code, names }) => {
      const spawning = fixture.host.spawn(request(directory));
      await expect(spawning).rejects.toMatchObject({
        code,
        message: expect.stringMatching(names),
      });
    });

    it('has the path of the executed file', async () => {
      const named = await fixture.start('sh', ['-c', 'exit 0']);
      expect(named.pty.program).toMatch(/^\/.*\/sh$/);
      writeFileSync(join(directory, 'here'), '#!/bin/sh\npwd\n');
      chmodSync(join(directory, 'here'), 0o755);
      const relative = await fixture.start('./here', [], { cwd: directory });
      await relative.pty.exit;
      expect(relative.pty.program).toBe(join(directory, 'here'));
      expect(relative.output.text.trim()).toMatch(/vtr-spawn-/);
    });

    it('passes arguments unchanged', async () => {
      const args = ['', 'a b', '$HOME', '"quoted"', 'line\nbreak', 'é😀'];
      const { pty, output } = await fixture.start('sh', [
        '-c',
        `stty -opost; printf '[%s]' "$@"`,
        'sh',
        ...args,
      ]);
      await pty.exit;
      expect(output.text).toBe(args.map((arg) => `[${arg}]`).join(''));
    });

    it('passes only the environment of the request', async () => {
      const env = { EMPTY: '', TEXT: 'a=b c' };
      const marker = { name: 'work', id: `marker-${process.pid}` };
      const { pty, output } = await fixture.start('/usr/bin/env', [], { env, marker });
      await pty.exit;
      expect(output.text.trim().split('\r\n').sort()).toEqual(
        ['EMPTY=', 'TEXT=a=b c', `VTR_SESSION_ID=${marker.id}`, 'VTR_SESSION=work'].sort(),
      );
    });

    it('does not let the environment change the marker', async () => {
      const env = { VTR_SESSION: 'mine', VTR_SESSION_ID: 'mine' };
      const marker = { name: 'work', id: `marker2-${process.pid}` };
      const { pty, output } = await fixture.start('/usr/bin/env', [], { env, marker });
      await pty.exit;
      expect(output.text).toContain('VTR_SESSION=work\r\n');
      expect(output.text).not.toContain('mine');
    });

    it('starts with the requested size, and reports a new one to the program', async () => {
      const script = 'stty size; read -r _; stty size';
      const { pty, output } = await fixture.start('sh', ['-c', script], {
        size: { cols: 132, rows: 43 },
      });
      await output.untilText('43 132\r\n');
      await pty.resize({ cols: 1000, rows: 1 });
      await pty.write(Buffer.from('\n'));
      await pty.exit;
      expect(output.text).toContain('1 1000\r\n');
    });

    it('sends WINCH to the foreground program at a resize', async () => {
      const script = `trap 'stty size; exit' WINCH; echo ready; while :; do sleep 0.02; done`;
      const { pty, output } = await fixture.start('sh', ['-c', script]);
      await output.untilText('ready');
      await pty.resize({ cols: 99, rows: 33 });
      await pty.exit;
      expect(output.text).toContain('33 99');
    });

    it('runs a script without a first line that names an interpreter in sh', async () => {
      const script = join(directory, 'plain script');
      writeFileSync(script, 'printf "[%s]" "$0" "$@"\n');
      chmodSync(script, 0o755);
      const { pty, output } = await fixture.start(script, ['a b', '']);
      await pty.exit;
      expect(output.text).toBe(`[${script}][a b][]`);
      expect(pty.program).toBe(script);
    });

    it('gives the terminal modes in which a line of UTF-8 can be edited', async () => {
      const { pty, output } = await fixture.start('stty', ['-a']);
      await pty.exit;
      const words = output.text.split(/[\s;]+/);
      const on = ['icanon', 'echo', 'isig', 'iexten', 'icrnl', 'ixon', 'iutf8', 'opost', 'onlcr'];
      expect(on.filter((mode) => !words.includes(mode))).toEqual([]);
    });

    const withProc = provided(hasProc, 'only on Linux: reads /proc');

    withProc('leaves every signal unblocked and at its default', async () => {
      const { pty, output } = await fixture.start('grep', ['^Sig[BI]', '/proc/self/status']);
      await pty.exit;
      const none = '0'.repeat(16);
      expect(output.text).toBe(`SigBlk:\t${none}\r\nSigIgn:\t${none}\r\n`);
    });

    withProc('makes the program the leader of a session with the terminal', async () => {
      const { pty, output } = await fixture.start('cat', ['/proc/self/stat']);
      await pty.exit;
      const fields = output.text.split(') ')[1]?.split(' ').map(Number) ?? [];
      const [, , group, session, terminal, foreground] = fields;
      expect([group, session, foreground]).toEqual([pty.pid, pty.pid, pty.pid]);
      expect(terminal).not.toBe(0);
    });

    it('refuses an invalid size at a resize and keeps the old one', async () => {
      const { pty, output } = await fixture.start('sh', ['-c', 'read -r _; stty size']);
      await expect(pty.resize({ cols: 80, rows: 65_536 })).rejects.toMatchObject({
        code: 'INVALID_SIZE',
      });
      await pty.write(Buffer.from('\n'));
      await pty.exit;
      expect(output.text).toContain('24 80');
    });

    it('refuses after close', async () => {
      await fixture.host.close();
      await expect(fixture.host.spawn(ptyRequest('true'))).rejects.toMatchObject({
        code: 'UNAVAILABLE',
      });
    });
  });
}
