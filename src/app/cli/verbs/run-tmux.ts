import { spawnSync } from 'node:child_process';
import { readlinkSync, type Stats, statSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isatty, WriteStream } from 'node:tty';
import { defined, ignored, styledText } from '#base';
import { areSessionsLeft, checkWritePath } from '#config';
import {
  isAddress,
  isVtrError,
  systemReason,
  type TmuxAnswer,
  type TmuxLink,
  type TmuxRequest,
  VtrError,
} from '#model';
import { thisUser } from '#trust';
import type { JsonCoordinator } from '#wire/service/short';
import { type CommandRow, commandRow, noServerMessage } from '#wire/tmux/table';
import type { Context } from '../context.ts';
import {
  clientOf,
  type KnownCoordinator,
  oneCoordinator,
} from '../coordinators/known-coordinators.ts';
import { withDaemon } from '../coordinators/with-daemon.ts';

/** The version of tmux whose commands are answered. */
const version = 'tmux 3.3a';

/** After the end of the input, a line that runs for longer than this, in ms, is not awaited. */
const lastLinesMs = 5_000;

/**
 * Runs `tmux` with these arguments.
 *
 * @returns its exit status
 * @throws VtrError if the daemon cannot be reached
 */
export async function runTmux(context: Context, args: readonly string[]): Promise<number> {
  const read = readGlobalFlags(args, context);
  if ('problem' in read) {
    context.err(read.problem);
    return 1;
  }
  if (read.version) {
    context.out(`${version}\n`);
    return 0;
  }
  const { words, control, socketPath } = read;
  // It uses the terminal, or standard input.
  if (control > 0 || context.isTerminal) context.inDaemon?.decline();
  const own = await oneCoordinator(context, undefined);
  const print = printer(context);
  // In control mode, standard input has commands.
  const files = control > 0 ? { words, print } : await openOwnFiles(context, words, print);
  const mayStart = control > 0 || startsServer(words);
  const coordinator = clientOf(context, own);
  const request: TmuxRequest = {
    socketPath,
    words: files.words,
    cwd: context.cwd,
    pid: context.inDaemon?.pid ?? process.pid,
    env: definedOnly(context.env),
    ...defined({ configFiles: read.configFiles }),
    ...(context.inDaemon === undefined && terminalSize()),
    ...('input' in files && { input: files.input }),
    ...(control > 0 && { control: true }),
  };
  const run = () => coordinator.runTmux(request);
  try {
    const answer = await (mayStart ? withDaemon(context, own, true, run) : run());
    await files.print(answer.stdout);
    context.err(answer.stderr);
    const { controlId: id } = answer;
    if (id === undefined) return answer.status;
    return control > 0
      ? await runControl(context, coordinator, id, control === 2)
      : await showClient(context, own, request, id);
  } catch (error) {
    if (!isVtrError(error) || error.code !== 'UNAVAILABLE') throw error;
    if (!['ENOENT', 'ECONNREFUSED'].includes(String(error.details['reason']))) throw error;
    context.err(noServerMessage(socketPath));
    return 1;
  }
}

/** Returns what prints the answers of commands: to a terminal only with colours and links, to a program as they are. */
const printer =
  (context: Context) =>
  (text: string): void =>
    context.isTerminal ? context.draw(styledText(text)) : context.out(Buffer.from(text));

const definedOnly = (env: Context['env']): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).filter((each): each is [string, string] => each[1] !== undefined),
  );

/** The terminal in which the command runs, and its size: as for tmux, 80x24 where the terminal does not know it. */
function terminalSize(): Pick<TmuxRequest, 'size' | 'terminal'> | null {
  if (!isatty(0) || !isatty(1)) return null;
  const [cols, rows] = new WriteStream(1).getWindowSize();
  return { size: { cols: cols || 80, rows: rows || 24 }, terminal: terminalPath() };
}

/** The path of the terminal; /dev/tty where the system does not tell it. */
function terminalPath(): string {
  try {
    const path = readlinkSync('/proc/self/fd/0');
    return path.startsWith('/dev/') ? path : '/dev/tty';
  } catch {
    return '/dev/tty';
  }
}

/** How long a client looks for the next daemon, in ms, and how often. */
const lookForMs = 15_000;
const lookEveryMs = 200;

/** Attaches again after the daemon was lost: to a session of the next one. */
async function attachedAgain(
  context: Context,
  at: KnownCoordinator,
  attach: () => Promise<TmuxAnswer>,
): Promise<{ id: string | null; isStopped: boolean }> {
  // After `vtr serve --stop` there is nothing to come back to.
  const canReturn = async () => isAddress(at.socket) || (await areSessionsLeft(context, at.socket));
  for (let waitedMs = 0; waitedMs < lookForMs; waitedMs += lookEveryMs) {
    const answer = await attach().catch(() => null);
    if (answer !== null) return { id: answer.controlId ?? null, isStopped: false };
    if (!(await canReturn())) return { id: null, isStopped: true };
    await delay(lookEveryMs);
  }
  return { id: null, isStopped: false };
}

/** Returns how clients in parts of this terminal reach the servers of tmux of a coordinator. */
export function tmuxLink(context: Context, at: KnownCoordinator): TmuxLink {
  let client: JsonCoordinator | undefined;
  const coordinator = () => {
    client ??= clientOf(context, at);
    return client;
  };
  const { TMUX: _tmux, ...env } = definedOnly(context.env);
  const attach: TmuxLink['attach'] = (socketPath, words, size) => {
    const { cwd } = context;
    const place = { socketPath, cwd, pid: process.pid, env, size, terminal: terminalPath() };
    const run = () => coordinator().runTmux({ ...place, words });
    return startsServer(words) ? withDaemon(context, at, true, run) : run();
  };
  return {
    attach,
    again: (server, words, size) => attachedAgain(context, at, () => attach(server, words, size)),
    control: (id, lines) => coordinator().controlTmux(id, lines),
  };
}

/** Shows windows in this terminal until the client is detached, or its session has ended. */
async function showClient(
  context: Context,
  at: KnownCoordinator,
  request: TmuxRequest,
  id: string,
): Promise<number> {
  const { showTmuxClient } = await import('#app/tui');
  const coordinator = clientOf(context, at);
  const again = (session: string) =>
    attachedAgain(context, at, () => {
      const { TMUX: _tmux, ...env } = request.env;
      const words = ['attach-session', '-t', `=${session}:`];
      return coordinator.runTmux({ ...request, ...terminalSize(), env, words });
    });
  const control = (of: string, lines: readonly string[] | null) =>
    coordinator.controlTmux(of, lines);
  const end = await showTmuxClient({ env: context.env, id, control, again });
  context.out(`[${end.message}]\n`);
  if (end.hangsUp) process.kill(process.ppid, 'SIGHUP');
  if (end.command === undefined) return end.status;
  return spawnSync('/bin/sh', ['-c', end.command], { stdio: 'inherit' }).status ?? 1;
}

/**
 * Runs a control client until it or standard input ends.
 *
 * @param isWrapped whether the output is for a terminal that shows windows itself (`-CC`)
 */
async function runControl(
  context: Context,
  coordinator: JsonCoordinator,
  id: string,
  isWrapped: boolean,
): Promise<number> {
  if (!isWrapped) return passLines(context, coordinator, id);
  const { stdin } = process;
  // Such a terminal takes the echo of a command for a lost connection.
  if (stdin.isTTY) stdin.setRawMode(true);
  context.draw('\x1bP1000p');
  try {
    return await passLines(context, coordinator, id);
  } finally {
    context.draw('\x1b\\');
    if (stdin.isTTY) stdin.setRawMode(false);
  }
}

/**
 * Passes lines of standard input to a control client, and prints what it answers, until one of them
 * ends.
 */
async function passLines(
  context: Context,
  coordinator: JsonCoordinator,
  id: string,
): Promise<number> {
  const print = printer(context);
  const { createInterface } = await import('node:readline');
  const input = createInterface({ input: process.stdin });
  let isOver = false;
  let isStuck = false;
  let giveUp: () => void = () => {};
  let timer: NodeJS.Timeout | undefined;
  const limit = () => {
    clearTimeout(timer);
    timer = setTimeout(() => giveUp(), lastLinesMs).unref();
  };
  // One call after the other: lines run in their order.
  let last = Promise.resolve();
  const run = (line: string): Promise<void> => {
    if (isStuck) return Promise.resolve();
    return new Promise((resolve) => {
      giveUp = () => {
        isStuck = true;
        resolve();
      };
      if (isOver) limit();
      coordinator.controlTmux(id, [line]).then(() => resolve(), resolve);
    });
  };
  input.on('line', (line) => {
    if (line === '') input.close();
    // Those that were read together with an empty line are emitted after the end.
    else if (!isOver) last = last.then(() => run(line));
  });
  // The end of the input is an empty line, which ends the client, also while a line waits.
  input.once('close', () => {
    isOver = true;
    limit();
    ignored(
      last.then(() => coordinator.controlTmux(id, [''])),
      'the client may have ended already',
    );
  });
  for (;;) {
    const { output, ended } = await coordinator.controlTmux(id, null);
    print(output);
    if (ended) break;
  }
  input.close();
  return 0;
}

/** What the words of a command become when the caller opens its files. */
export interface OwnFiles {
  readonly words: readonly string[];
  /** The content for a `-` that is read. */
  readonly input?: string;
  /** Prints what the command has printed, to the file if one is to be written. */
  readonly print: (text: string) => Promise<void>;
}

/** A path among the words. */
interface PathWord {
  readonly at: number;
  readonly path: string;
  readonly isWritten: boolean;
  readonly isAppended: boolean;
}

/**
 * Opens what the daemon cannot: standard input, and files that are not regular ones, such as a FIFO or
 * `/dev/fd/3`.
 *
 * @throws VtrError INVALID_ARGUMENT if a file cannot be read, or several would have to be passed
 */
export async function openOwnFiles(
  context: Context,
  args: readonly string[],
  print: (text: string) => void,
): Promise<OwnFiles> {
  const { cwd } = context;
  const words = [...args];
  const paths = pathWords(args).filter(({ path, isWritten }) =>
    path === '-' ? !isWritten : isOwn(resolve(cwd, path)),
  );
  if (paths.length > 0 || showsInput(args)) context.inDaemon?.decline();
  for (const { at } of paths) words[at] = words[at]?.endsWith(';') ? '-;' : '-';
  const read = paths.filter(({ isWritten }) => !isWritten);
  const [written, ...more] = paths.filter(
    ({ path, isWritten }) => isWritten && !isStandard(path, 1),
  );
  const isAlone = !args.some((word) => word.endsWith(';'));
  if (read.length > 1 || more.length > 0 || (written !== undefined && !isAlone)) {
    const all = paths.map(({ path }) => path).join(', ');
    throw new VtrError(
      'INVALID_ARGUMENT',
      `cannot pass several of ${all}; use a command for each, or regular files`,
    );
  }
  const input = read[0]?.path ?? (showsInput(args) ? '-' : null);
  return {
    words,
    ...(input !== null && { input: await contentOf(context, input) }),
    print: async (text) => {
      if (written === undefined) print(text);
      else await named(written.path, writeTo(resolve(cwd, written.path), text, written));
    },
  };
}

async function writeTo(path: string, text: string, { isAppended }: PathWord): Promise<void> {
  checkWritePath(path);
  await writeFile(path, text, { flag: isAppended ? 'a' : 'w' });
}

async function contentOf(context: Context, path: string): Promise<string> {
  if (path === '-' || isStandard(path, 0)) {
    return Buffer.from(await context.readInput()).toString();
  }
  return named(path, readFile(resolve(context.cwd, path), 'utf8'));
}

async function named<T>(path: string, result: Promise<T>): Promise<T> {
  try {
    return await result;
  } catch (error) {
    if (isVtrError(error)) throw error;
    throw new VtrError('INVALID_ARGUMENT', `${systemReason(error)}: ${path}`);
  }
}

/** Whether a path is that of standard input (0) or output (1). */
const isStandard = (path: string, descriptor: 0 | 1): boolean =>
  path === ['/dev/stdin', '/dev/stdout'][descriptor] ||
  path === `/dev/fd/${descriptor}` ||
  path === `/proc/self/fd/${descriptor}`;

/** Whether a path names something else in the daemon, or would keep it waiting. */
function isOwn(path: string): boolean {
  if (path === '/dev/null') return false;
  if (/^\/(dev\/(fd\/|std(in|out|err)$)|proc\/(self|thread-self)\/)/.test(path)) return true;
  let about: Stats | undefined;
  try {
    about = statSync(path, { throwIfNoEntry: false });
  } catch {
    // The daemon says what is wrong with it.
  }
  return about !== undefined && !about.isFile() && !about.isDirectory();
}

/** Returns the parts of the words that are commands, without the `;` between them. */
function commandWords(
  words: readonly string[],
): readonly { readonly from: number; readonly to: number }[] {
  const commands: { from: number; to: number }[] = [];
  let from = 0;
  for (const [at, word] of words.entries()) {
    const isLast = at === words.length - 1;
    const ends = word.endsWith(';') && !word.endsWith('\\;');
    if (!isLast && !ends) continue;
    commands.push({ from, to: word === ';' ? at : at + 1 });
    from = at + 1;
  }
  return commands;
}

/** The command that begins at a word; null if it is not known. */
const rowAt = (words: readonly string[], from: number): CommandRow | null =>
  commandRow((words[from] ?? '').replace(/;$/, ''));

/** Whether one of the commands starts a server where none runs; no words are `new-session`. */
export const startsServer = (words: readonly string[]): boolean =>
  words.length === 0 || commandWords(words).some(({ from }) => rowAt(words, from)?.starts === true);

/** The paths of commands that read or write files. */
const pathWords = (words: readonly string[]): PathWord[] =>
  commandWords(words).flatMap(({ from, to }) => pathsOf(words, from, to));

function pathsOf(words: readonly string[], from: number, to: number): PathWord[] {
  const { file } = rowAt(words, from) ?? {};
  if (file === undefined) return [];
  const { given, at } = flagsOf(words, from, to);
  return Array.from({ length: Math.max(0, to - at) }, (_none, index) => ({
    at: at + index,
    isWritten: file === 'written',
    isAppended: given.has('a'),
    path: (words[at + index] ?? '').replace(/;$/, ''),
  }));
}

/** The letters of the flags of a command, and where its other words begin. */
function flagsOf(words: readonly string[], from: number, to: number) {
  const { flags = '' } = rowAt(words, from) ?? {};
  const names = new Set<string>();
  let at = from + 1;
  for (; at < to; at++) {
    const word = (words[at] ?? '').replace(/;$/, '');
    if (!word.startsWith('-') || word === '-') break;
    if (word === '--') {
      at++;
      break;
    }
    const letters = [...word.slice(1)];
    const valued = letters.findIndex((flag) => flags.includes(`${flag}:`));
    for (const flag of valued === -1 ? letters : letters.slice(0, valued + 1)) names.add(flag);
    if (valued === letters.length - 1) at++;
  }
  return { given: names, at };
}

/** Whether a command shows standard input in a pane: `split-window -I` without a program. */
const showsInput = (words: readonly string[]): boolean =>
  commandWords(words).some(({ from, to }) => {
    const { input } = rowAt(words, from) ?? {};
    if (input === undefined) return false;
    const { given, at } = flagsOf(words, from, to);
    return given.has(input) && at >= to;
  });

/** The words of a command `tmux`, split at its first command. */
interface TmuxWords {
  readonly configFiles: readonly string[] | null;
  readonly socketPath: string;
  /** `-C`; twice, `-CC`, for terminals that show the windows themselves. */
  readonly control: 0 | 1 | 2;
  readonly version: boolean;
  readonly words: readonly string[];
}

const usage =
  'usage: tmux [-2CDlNuVv] [-c shell-command] [-f file] [-L socket-name]\n' +
  '            [-S socket-path] [-T features] [command [flags]]\n';

/** Flags with a value, and those without. `-c` is refused: it replaces a login shell. */
const valued = 'fLST';
const plain = '2CDlNquvV';

/** Reads the flags before the command. @returns a message for flags that tmux does not have */
function readGlobalFlags(
  args: readonly string[],
  { env, cwd }: Pick<Context, 'env' | 'cwd'>,
): TmuxWords | { readonly problem: string } {
  const values = new Map<string, string[]>();
  // The words of `vtr tmux -- ...` begin after it.
  let at = args[0] === '--' ? 1 : 0;
  for (; at < args.length; at++) {
    const word = args[at] ?? '';
    if (/^--./.test(word)) return { problem: usage };
    if (!/^-./.test(word) || word === '--') break;
    for (let letter = 1; letter < word.length; letter++) {
      const flag = word[letter] ?? '';
      if (valued.includes(flag)) {
        const rest = word.slice(letter + 1);
        const value = rest === '' ? args[++at] : rest;
        if (value === undefined) return { problem: usage };
        values.set(flag, [...(values.get(flag) ?? []), value]);
        break;
      }
      if (flag === 'c') return { problem: 'vtr does not support tmux -c\n' };
      if (!plain.includes(flag)) return { problem: usage };
      values.set(flag, [...(values.get(flag) ?? []), '']);
    }
  }
  if (args[at] === '--') at++;
  const count = values.get('C')?.length ?? 0;
  return {
    configFiles: values.get('f')?.map((path) => resolve(cwd, path)) ?? null,
    socketPath: socketPathOf(values, env, cwd),
    control: count === 0 ? 0 : count === 1 ? 1 : 2,
    version: values.has('V'),
    words: args.slice(at),
  };
}

/** The path that tmux would use: `-S`, else `-L`, else that of the pane, else the user's default. */
function socketPathOf(
  values: ReadonlyMap<string, readonly string[]>,
  env: Context['env'],
  cwd: string,
): string {
  const path = values.get('S')?.at(-1);
  if (path !== undefined) return resolve(cwd, path);
  const label = values.get('L')?.at(-1);
  const [own = ''] = env['TMUX']?.split(',') ?? [];
  if (label === undefined && own !== '') return own;
  const directory = env['TMUX_TMPDIR'] || '/tmp';
  return join(directory, `tmux-${thisUser().uid}`, label ?? 'default');
}
