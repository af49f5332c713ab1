import { spawn } from 'node:child_process';
import { constants as fileConstants, readdirSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { constants } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { defined } from '#base';
import { globMatches, isTrue } from '#format';
import { systemReason } from '#model';
import { writeProblem } from '#trust';
import { programEnvironment } from '../state/environment.ts';
import type { TmuxServer } from '../state/tmux-server.ts';
import type { Target } from '../target/target.ts';
import { TextError, TmuxError } from '../tmux-error.ts';
import type { Arguments } from '../words/arguments.ts';
import type { Call, Commands } from './call.ts';

const nullDevice = '/dev/null';

/** Paths that name a descriptor of the process that opens them: the daemon has others than its caller. */
const ownDescriptor = /^\/(dev\/(fd\/|std(in|out|err)$)|proc\/(self|thread-self)\/)/;

export const shellCommands = {
  'run-shell': {
    usage: '[-bC] [-d delay] [-t target-pane] [shell-command]',
    words: [0, 1],
    waits: true,
    run: runShell,
  },
  'if-shell': {
    usage: '[-bF] [-t target-pane] shell-command command [command]',
    words: [2, 3],
    waits: true,
    run: ifShell,
  },
  'source-file': {
    usage: '[-Fnqv] path ...',
    words: [1, Number.POSITIVE_INFINITY],
    waits: true,
    run: sourceFiles,
  },
  'wait-for': {
    usage: '[-L|-S|-U] channel',
    words: [1, 1],
    waits: true,
    run: async ({ server, caller: { signal } }, args) => {
      const [name = ''] = args.words;
      const { channels } = server;
      // As tmux: nothing waits for a server that ends.
      if (server.isEmpty) return;
      if (args.has('S')) channels.signal(name);
      else if (args.has('L')) await channels.lock(name, signal);
      else if (args.has('U')) channels.unlock(name);
      else await channels.wait(name, signal);
    },
  },
} satisfies Commands;

async function runShell(call: Call, args: Arguments): Promise<void> {
  const target = call.targetOrNull(args, 'pane');
  const [word] = args.words;
  const waitSeconds = Number(args.value('d') ?? 0);
  if (Number.isNaN(waitSeconds)) throw new TmuxError(`invalid delay time: ${args.value('d')}`);
  const line = word === undefined ? '' : await call.expand(word, target);
  const run = async (as: Call) => {
    const { signal } = as.caller;
    if (waitSeconds > 0) await delay(waitSeconds * 1000, undefined, { signal, ref: false });
    if (args.has('C')) await as.runner.runText(line, as);
    else if (line !== '') printEnd(as, line, await shellLine(as, target, line));
  };
  if (args.has('b')) void call.inBackground(run);
  else await run(call);
}

function printEnd({ output, server }: Call, line: string, end: ShellEnd): void {
  const { status, signal } = end;
  const text = server.shown(end.output, 'all');
  output.stdout += text;
  if (text !== '' && !text.endsWith('\n')) output.stdout += '\n';
  if (status === 0) return;
  const how = signal === null ? `returned ${status}` : `terminated by signal ${signal}`;
  output.stdout += `'${line}' ${how}\n`;
  output.status = status;
}

async function ifShell(call: Call, args: Arguments): Promise<void> {
  const target = call.targetOrNull(args, 'pane');
  const [word = '', yes = '', no] = args.words;
  const condition = await call.expand(word, target);
  const decide = async (as: Call) =>
    args.has('F') ? isTrue(condition) : (await shellLine(as, target, condition)).status === 0;
  const act = async (as: Call) => {
    const chosen = (await decide(as)) ? yes : no;
    if (chosen !== undefined) await as.runner.runText(chosen, as);
  };
  if (args.has('b')) void call.inBackground(act);
  else await act(call);
}

async function sourceFiles(call: Call, args: Arguments): Promise<void> {
  const target = call.targetOrNull(args, 'pane');
  for (const word of args.words) {
    const path = args.has('F') ? await call.expand(word, target) : word;
    if (path === '-') {
      await sourceText(call, args, inputOf(call), '-');
      continue;
    }
    const whole = resolve(call.caller.cwd, path);
    const paths = /[*?[]/.test(whole) ? filesLike(whole) : [whole];
    if (paths.length === 0 && !args.has('q')) {
      throw new TmuxError(`${path}: No such file or directory`);
    }
    for (const each of paths) {
      try {
        await sourceText(call, args, await fileText(each), each);
      } catch (error) {
        if (!/no such file/i.test(String(error))) throw error;
        if (!args.has('q')) throw new TmuxError(`${path}: No such file or directory`);
      }
    }
  }
}

/** The files whose names match a pattern in the last part of a path. */
function filesLike(path: string): string[] {
  try {
    const names = readdirSync(dirname(path)).filter((name) => globMatches(basename(path), name));
    return names.sort().map((name) => join(dirname(path), name));
  } catch {
    return [];
  }
}

async function sourceText(call: Call, args: Arguments, text: string, name: string): Promise<void> {
  if (args.has('n')) {
    await call.inFile(name, () => call.runner.parsed(text, call));
    return;
  }
  try {
    await call.inFile(name, () => call.runner.runText(text, call));
  } catch (error) {
    if (!(error instanceof TextError)) throw error;
    // As tmux: on standard output.
    call.print(`${name}:${error.line}: ${error.message}`);
    call.output.status = 1;
  }
}

interface ShellEnd {
  /** The exit status; 128 and the number of the signal that ended it. */
  readonly status: number;
  readonly signal: number | null;
  readonly output: string;
}

/** The most that a command may print, in characters: tmux has no limit, and the daemon keeps it all. */
const maxOutputChars = 16 * 1024 * 1024;

/** The environment of a shell command. */
export function shellEnvironment(
  server: TmuxServer,
  target: Target | null,
): Record<string, string> {
  return {
    ...programEnvironment(server.environment, target?.session.environment ?? new Map()),
    TERM: server.options.text('default-terminal'),
    TMUX: `${server.socketPath},${server.programs.pid},${target?.session.id ?? -1}`,
    ...(target === null ? {} : { TMUX_PANE: `%${target.pane.id}` }),
  };
}

/**
 * Runs a line with the shell of the server, and returns what it printed on stdout and stderr. As tmux: it
 * runs on if the caller has gone.
 *
 * @throws TmuxError if it cannot run, or prints more than {@link maxOutputChars}; its shell is killed
 */
function shellLine(call: Call, target: Target | null, line: string): Promise<ShellEnd> {
  const { server, caller } = call;
  const child = spawn('/bin/sh', ['-c', line], {
    cwd: caller.cwd,
    env: {
      ...shellEnvironment(server, target),
      // As in tmux, a configuration can ask for the kind of the terminal outside.
      ...(caller.isConfiguration ? defined({ TERM: caller.env['TERM'] }) : {}),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  server.programs.own(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8');
    stream.on('data', (text: string) => {
      output += text;
      if (output.length <= maxOutputChars) return;
      child.kill('SIGKILL');
      child.stdout.destroy();
      child.stderr.destroy();
    });
  }
  return new Promise((done, fail) => {
    child.once('error', (error) =>
      fail(new TmuxError(`failed to run command: ${line}: ${error.message}`)),
    );
    child.once('close', (code, name) => {
      if (output.length > maxOutputChars) {
        return fail(new TmuxError(`${line}: printed more than ${maxOutputChars} characters`));
      }
      const signal = name === null ? null : constants.signals[name];
      done({ status: code ?? 128 + (signal ?? 0), signal, output });
    });
  });
}

/** What the caller's standard input contains. @throws TmuxError if the caller has not sent it */
export function inputOf({ caller }: Call): string {
  if (caller.input !== null) return caller.input;
  throw new TmuxError('-: standard input is read only for a command of the command line');
}

/**
 * Returns the text of a file.
 *
 * @throws TmuxError also for what is not a regular file: it could keep the daemon waiting
 */
export async function fileText(path: string): Promise<string> {
  if (path === nullDevice) return '';
  return withFile(path, fileConstants.O_RDONLY, (file) => file.readFile('utf8'));
}

/** Writes a file, or appends to it. @throws TmuxError as {@link fileText} */
export async function writeFile(path: string, text: string, isAppended: boolean): Promise<void> {
  if (path === nullDevice) return;
  const foreign = writeProblem(path, 'in_place');
  if (foreign !== null) throw new TmuxError(`not written: ${foreign.problem}`);
  const flags = fileConstants.O_WRONLY | fileConstants.O_CREAT;
  await withFile(path, isAppended ? flags | fileConstants.O_APPEND : flags, async (file) => {
    if (!isAppended) await file.truncate();
    await file.writeFile(text);
  });
}

/** Why a file cannot be used, as tmux says it. */
function reasonOf(thrown: unknown): string {
  const { code = '' } = thrown as NodeJS.ErrnoException;
  return reasons[code] ?? systemReason(thrown);
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'Permission denied',
  EISDIR: 'Is a directory',
  ENOENT: 'No such file or directory',
  ENOTDIR: 'Not a directory',
};

async function withFile<T>(
  path: string,
  flags: number,
  act: (file: FileHandle) => Promise<T>,
): Promise<T> {
  if (ownDescriptor.test(path)) throw new TmuxError(`not a file for the daemon: ${path}`);
  let file: FileHandle | null = null;
  try {
    // Does not wait for the other end of a FIFO, and makes no terminal that of the daemon.
    file = await open(path, flags | fileConstants.O_NONBLOCK | fileConstants.O_NOCTTY, 0o666);
    const about = await file.stat();
    if (!about.isFile() && !about.isDirectory()) {
      throw new TmuxError(`not a regular file: ${path}`);
    }
    return await act(file);
  } catch (error) {
    if (error instanceof TmuxError) throw error;
    throw new TmuxError(`${path}: ${reasonOf(error)}`);
  } finally {
    await file?.close();
  }
}
