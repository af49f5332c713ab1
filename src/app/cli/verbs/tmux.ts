import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { shellQuoted } from '#base';
import { makeDirectoryOf, replaceFile } from '#config';
import { ioError, VtrError } from '#model';
import { toggle } from '../arguments/flags.ts';
import type { Context } from '../context.ts';
import { defineVerb } from '../verb.ts';
import { compileQuick, quickMark, tellPath } from './quick.ts';

export const tmux = defineVerb({
  name: 'tmux',
  summary: 'run a command of tmux: its sessions, windows and panes are sessions of vtr',
  args: {},
  flags: {},
  rest: '[TMUX FLAGS] [COMMAND...]',
  ownWords: true,
  details: [
    'For programs that drive tmux; vtr shim install writes a command tmux for them into a directory. Accepts the flags -2CfLlSuVv of tmux 3.3a, and several commands with a semicolon as a separate word between them.',
    'Each pane is a session of vtr. docs/tmux.md lists the commands and what is not supported; unsupported commands fail with status 1.',
    'Exit status: that of tmux; 3 if the coordinator does not respond.',
  ],
  examples: [
    { line: 'vtr tmux new-session -d -s work', about: 'make a session with one pane' },
    { line: "vtr tmux send-keys -t work 'npm test' Enter", about: 'type in it' },
    { line: 'vtr tmux capture-pane -p -t work', about: 'print its screen' },
  ],
  async run(context, { rest }) {
    const { runTmux } = await import('./run-tmux.ts');
    return runTmux(context, rest ?? []);
  },
});

const mark = '# Written by vtr shim install.';

export const shimInstall = defineVerb({
  name: 'shim install',
  summary: 'write a command tmux that runs in sessions of vtr into a directory',
  args: { dir: { about: 'directory to put first in PATH', completes: 'file' } },
  flags: { force: toggle('replace a file tmux that vtr did not write') },
  details: [
    'Programs that find this tmux first in PATH use vtr instead of tmux; see vtr tmux --help. Remove the file to go back.',
    'With a C compiler, the command is compiled, and takes as long as that of tmux: see vtr quick install. Otherwise it is a script that starts Node.js.',
  ],
  examples: [
    { line: 'vtr shim install ~/.vtr/bin', about: 'write ~/.vtr/bin/tmux' },
    { line: 'PATH=~/.vtr/bin:$PATH claude', about: 'let a program use it' },
  ],
  async run(context, { args, flags }) {
    const directory = resolve(context.cwd, args.dir);
    const path = join(directory, 'tmux');
    makeDirectoryOf(path);
    const before = textOf(path);
    const isOwn = before === null || before.includes(mark) || before.includes(quickMark);
    if (!isOwn && !flags.force) {
      const message = `${path} exists and was not written by vtr; choose another directory, or replace it with --force`;
      throw new VtrError('INVALID_ARGUMENT', message);
    }
    replaceFile(path, shimOf(context), { mode: 0o755 });
    context.out(`${path}\n`);
    tellPath(context, directory);
    return 0;
  },
});

/** The command `tmux`: compiled if that is possible, else a script. */
function shimOf(context: Context): Uint8Array | string {
  try {
    return compileQuick(context, 'tmux');
  } catch {
    const command = [process.execPath, context.program].map(shellQuoted).join(' ');
    return `#!/bin/sh\n${mark}\nexec ${command} tmux "$@"\n`;
  }
}

/** Null if there is no file. @throws VtrError IO_ERROR */
function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw ioError(path, 'read', error);
  }
}
