import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ptyRequest } from '../../../test/support/pty/pty-request.ts';
import { runs } from '../../../test/support/run/runs.ts';
import { checkProgram, checkStrings, defaultShell, resolveProgram } from './resolve-program.ts';

describe('resolve program', () => {
  let root = '';

  function put(path: string, content: string, mode: number): void {
    writeFileSync(join(root, path), content);
    chmodSync(join(root, path), mode);
  }

  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), 'vtr-resolve-'));
    for (const path of ['one', 'two', 'two/subdir']) mkdirSync(join(root, path));
    put('one/both', '', 0o644);
    put('two/both', '', 0o755);
    put('one/plain', '', 0o644);
    put('two/tool', '', 0o755);
    put('two/script', '#! /bin/sh -e\n', 0o755);
    put('two/relative', '#!./tool\n', 0o755);
    put('two/lost', '#!/no/such/interpreter\n', 0o755);
    put('two/dos', '#!/bin/sh\r\n', 0o755);
    put('two/forbidden', `#!${join(root, 'one/plain')}\n`, 0o755);
    symlinkSync(join(root, 'two/tool'), join(root, 'one/link'));
  });
  afterAll(() => rmSync(root, { recursive: true }));

  describe('resolveProgram', () => {
    it.each([
      { program: 'tool', path: 'ONE:TWO', found: 'two/tool' },
      { program: 'both', path: 'ONE:TWO', found: 'two/both' },
      { program: 'script', path: 'TWO', found: 'two/script' },
      { program: 'tool', path: '', found: 'two/tool' },
      { program: 'tool', path: '/no/such::/nor/this', found: 'two/tool' },
      { program: 'link', path: '../one', found: 'one/link' },
      { program: './tool', path: '', found: 'two/tool' },
      { program: '../one/link', path: '', found: 'one/link' },
      { program: 'relative', path: 'TWO', found: 'two/relative' },
    ])('$program by PATH=$path is $found', async ({ program, path, found }) => {
      const searched = path.replace('ONE', join(root, 'one')).replace('TWO', join(root, 'two'));
      const cwd = join(root, 'two');
      expect(await resolveProgram(program, cwd, searched)).toBe(join(root, found));
    });

    it.each([
      {
        program: 'nowhere',
        code: 'PROGRAM_NOT_FOUND',
        names: /"nowhere".*PATH; check the name, or .*; PATH is .*one:.*two$/,
      },
      {
        program: 'no where',
        code: 'PROGRAM_NOT_FOUND',
        names: /PATH; give its arguments separately/,
      },
      {
        program: './no where',
        code: 'PROGRAM_NOT_FOUND',
        names: /; give its arguments separately/,
      },
      { program: './nowhere', code: 'PROGRAM_NOT_FOUND', names: /two\/nowhere/ },
      { program: './tool/below', code: 'PROGRAM_NOT_FOUND', names: /below/ },
      { program: 'plain', code: 'PROGRAM_NOT_EXECUTABLE', names: /one\/plain/ },
      { program: 'subdir', code: 'PROGRAM_NOT_EXECUTABLE', names: /directory/ },
      { program: '/dev/null', code: 'PROGRAM_NOT_EXECUTABLE', names: /null/ },
      { program: 'lost', code: 'PROGRAM_NOT_FOUND', names: /lost.*\/no\/such\/interpreter/ },
      { program: 'dos', code: 'PROGRAM_NOT_FOUND', names: /DOS line endings/ },
      { program: 'forbidden', code: 'PROGRAM_NOT_EXECUTABLE', names: /forbidden.*plain/ },
    ])('$program is $code', async ({ program, code, names }) => {
      const path = `${join(root, 'one')}:${join(root, 'two')}`;
      const resolving = resolveProgram(program, join(root, 'two'), path);
      await expect(resolving).rejects.toMatchObject({
        code,
        message: expect.stringMatching(names),
      });
    });

    it('finds a program in the first directory that has it now, whatever earlier looks have seen', async () => {
      const path = ['one', 'two'].map((each) => join(root, each)).join(':');
      const look = () => resolveProgram('comes', root, path);
      for (let times = 0; times < 2; times++) await expect(look()).rejects.toThrow('PATH');
      put('two/comes', '', 0o755);
      expect(await look()).toBe(join(root, 'two/comes'));
      put('one/comes', '', 0o755);
      expect(await look()).toBe(join(root, 'one/comes'));
      rmSync(join(root, 'one/comes'));
      expect(await look()).toBe(join(root, 'two/comes'));
    });

    it('searches the default path without PATH', async () => {
      expect(await resolveProgram('sh', '/')).toMatch(/^\/(usr\/)?bin\/sh$/);
    });
  });

  describe('checkProgram', () => {
    it.each([
      { cwd: '', code: null },
      { cwd: 'one', code: null },
      { cwd: 'later', code: 'CWD_NOT_FOUND' },
      { cwd: 'one/plain', code: 'CWD_NOT_DIRECTORY' },
      { cwd: 'one/plain/below', code: 'CWD_NOT_DIRECTORY' },
    ])('a working directory $cwd: $code', async ({ cwd, code }) => {
      const checking = () => checkProgram('/bin/sh', join(root, cwd), '');
      // The second look may know what the first has seen.
      for (let times = 0; times < 2; times++) {
        if (code === null) expect(await checking()).toBe('/bin/sh');
        else await expect(checking()).rejects.toMatchObject({ code });
      }
    });

    it('sees that a working directory has come and gone', async () => {
      const cwd = join(root, 'comes');
      const checking = () => checkProgram('/bin/sh', cwd, '');
      await expect(checking()).rejects.toMatchObject({ code: 'CWD_NOT_FOUND' });
      mkdirSync(cwd);
      expect(await checking()).toBe('/bin/sh');
      rmSync(cwd, { recursive: true });
      await expect(checking()).rejects.toMatchObject({ code: 'CWD_NOT_FOUND' });
    });
  });

  describe('defaultShell', () => {
    const last = existsSync('/bin/bash') ? '/bin/bash' : '/bin/sh';

    it.each([
      { base: { SHELL: '/bin/sh' }, configured: undefined, shell: '/bin/sh' },
      { base: { SHELL: '/bin/sh' }, configured: '/no/such/shell', shell: '/no/such/shell' },
      { base: { SHELL: '/bin/sh' }, configured: '', shell: '/bin/sh' },
      { base: { SHELL: '/no/such/shell' }, configured: undefined, shell: last },
      { base: { SHELL: 'sh' }, configured: undefined, shell: last },
      { base: { SHELL: '' }, configured: undefined, shell: last },
      { base: {}, configured: undefined, shell: last },
    ])('SHELL=$base.SHELL, configured $configured: $shell', async ({ base, configured, shell }) => {
      expect(await defaultShell(base, configured)).toBe(shell);
    });
  });
});

describe('check request', () => {
  const text = fc
    .string({ unit: 'binary', maxLength: 20 })
    .map((each) => each.replaceAll('\0', ''));

  it('a NUL is refused in any string of a request, and other strings are accepted', () => {
    const strings = fc.tuple(text, fc.array(text, { minLength: 1, maxLength: 5 }), text, text);
    const property = fc.property(
      strings,
      fc.nat(),
      fc.nat(),
      ([program, args, cwd, value], which, at) => {
        const all = [program, cwd, value, ...args];
        const request = ([first = '', second = '', third = '', ...others]: readonly string[]) =>
          ptyRequest(first, others, { cwd: second, env: { NAME: third } });
        expect(() => checkStrings(request(all))).not.toThrow();
        const spoilt = all[which % all.length] ?? '';
        const cut = at % (spoilt.length + 1);
        all[which % all.length] = `${spoilt.slice(0, cut)}\0${spoilt.slice(cut)}`;
        expect(() => checkStrings(request(all))).toThrow('NUL');
      },
    );
    fc.assert(property, runs(200));
  });
});
