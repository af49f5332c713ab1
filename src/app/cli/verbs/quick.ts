import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { shellQuoted } from '#base';
import { makeDirectoryOf, removeFile, replaceFile } from '#config';
import { ioError, ioErrors, VtrError } from '#model';
import { toggle } from '../arguments/flags.ts';
import type { Context } from '../context.ts';
import { packageRoot } from '../install/package-files.ts';
import { defineVerb } from '../verb.ts';

/** A text in the compiled file, by which it is known as vtr's. */
export const quickMark = 'Written by vtr quick install.';

export const quickInstall = defineVerb({
  name: 'quick install',
  summary: 'compile a command vtr in C that starts ten times as fast as Node.js',
  args: {
    dir: {
      about: 'directory to write it to (default ~/.vtr/bin)',
      optional: true,
      completes: 'file',
    },
  },
  flags: { remove: toggle('remove it') },
  details: [
    'The daemon runs the verbs screen, ls, read, info, wait, idle, commands, send, key, run, spawn and rm of one session itself, and this command prints what it answers. Output and exit status are those of vtr. For other verbs, for worktrees, or without a daemon, it starts vtr, which takes as long as before.',
    'Needs the C compiler cc, or that of the variable CC. Compile it again if Node.js or vtr has moved. vtr shim install does the same for the command tmux, if there is a compiler.',
  ],
  examples: [
    { line: 'vtr quick install', about: 'write ~/.vtr/bin/vtr' },
    { line: 'PATH=~/.vtr/bin:$PATH', about: 'use it' },
    { line: 'vtr quick install --remove', about: 'remove it' },
  ],
  async run(context, { args, flags }) {
    const directory = resolve(context.cwd, args.dir ?? join(homeOf(context), '.vtr/bin'));
    const path = join(directory, 'vtr');
    const isThere = checkOwn(path);
    if (flags.remove) {
      if (!isThere) throw new VtrError('INVALID_ARGUMENT', `${path} does not exist`);
      removeFile(path);
      return 0;
    }
    const compiled = compileQuick(context, 'vtr');
    makeDirectoryOf(path);
    replaceFile(path, compiled, { mode: 0o755 });
    context.out(`${path}\n`);
    tellPath(context, directory);
    return 0;
  },
});

const homeOf = ({ env }: Context): string => env['HOME'] || homedir();

/** Says how to put a directory first in PATH, if it is not. */
export function tellPath(context: Context, directory: string): void {
  const first = context.env['PATH']?.split(':')[0] ?? '';
  if (resolve(first) === directory) return;
  context.say(`put it first: export PATH=${shellQuoted(directory)}:"$PATH"`);
}

/** Whether a file that vtr wrote exists. @throws VtrError INVALID_ARGUMENT for another one, IO_ERROR */
function checkOwn(path: string): boolean {
  try {
    if (readFileSync(path, 'latin1').includes(quickMark)) return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw ioError(path, 'read', error);
  }
  const message = `${path} exists and was not written by vtr quick install; choose another directory`;
  throw new VtrError('INVALID_ARGUMENT', message);
}

/**
 * Compiles `contrib/quick/vtr.c` for the vtr that runs.
 *
 * @param as the command that it is
 * @throws VtrError PROGRAM_NOT_FOUND without a compiler, SPAWN_FAILED if it fails, IO_ERROR
 */
export function compileQuick(context: Context, as: 'vtr' | 'tmux'): Uint8Array {
  const compiler = context.env['CC'] || 'cc';
  const source = join(packageRoot(context.program), 'contrib/quick/vtr.c');
  const defined = [
    `-DVTR_NODE=${JSON.stringify(process.execPath)}`,
    `-DVTR_PROGRAM=${JSON.stringify(context.program)}`,
    ...(as === 'tmux' ? ['-DVTR_AS_TMUX'] : []),
  ];
  const directory = ioErrors(tmpdir(), 'written', () => mkdtempSync(join(tmpdir(), 'vtr-quick-')));
  try {
    const output = join(directory, as);
    const words = ['-O2', ...defined, '-o', output, source];
    const { status, error, stderr } = spawnSync(compiler, words, { encoding: 'utf8' });
    if ((error as NodeJS.ErrnoException | undefined)?.code === 'ENOENT') {
      const how = 'install one, such as the package gcc or clang, or name it with CC';
      throw new VtrError('PROGRAM_NOT_FOUND', `there is no C compiler ${compiler}; ${how}`);
    }
    if (status !== 0) {
      const why = error?.message ?? stderr.trim();
      throw new VtrError('SPAWN_FAILED', `${compiler} could not compile ${source}: ${why}`);
    }
    return ioErrors(output, 'read', () => readFileSync(output));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
