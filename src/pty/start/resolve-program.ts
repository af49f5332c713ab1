import {
  accessSync,
  closeSync,
  constants,
  openSync,
  readSync,
  type Stats,
  statSync,
} from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { dirname, isAbsolute, resolve } from 'node:path';
import { VtrError } from '#model';

/** The path that execvp(3) searches if PATH is not set: confstr(_CS_PATH). */
const defaultPath = '/bin:/usr/bin';

/** The part of a script's first line that the kernel reads (BINPRM_BUF_SIZE). */
const firstLineBytes = 256;

type Verdict = 'executable' | 'missing' | 'unreachable' | 'forbidden' | 'directory';

/**
 * Returns the absolute path of a program, as for execve(2). Called before the fork, because an
 * error after it is only a line of text in the terminal and exit status 1.
 *
 * @param path PATH of the program's environment; its relative entries and a relative `program` are
 * relative to `cwd`
 * @throws VtrError PROGRAM_NOT_FOUND, PROGRAM_NOT_EXECUTABLE
 */
export async function resolveProgram(
  program: string,
  cwd: string,
  path = defaultPath,
): Promise<string> {
  if (program === '') throw new VtrError('PROGRAM_NOT_FOUND', 'the program name is empty');
  const resolved = program.includes('/')
    ? await checkPath(program, resolve(cwd, program))
    : await search(program, cwd, path);
  await checkInterpreter(resolved, cwd);
  return resolved;
}

/**
 * Returns the shell to start if no program is named: the configured one, else the user's SHELL,
 * else /bin/bash, else /bin/sh. The configured one is not checked, so that the user sees a mistake
 * in it. A SHELL that is not executable is passed over, because hosts pass on whatever value they
 * had.
 */
export async function defaultShell(
  base: Readonly<Record<string, string | undefined>>,
  configured?: string,
): Promise<string> {
  if (configured !== undefined && configured !== '') return configured;
  const { SHELL = '' } = base;
  for (const candidate of [SHELL, '/bin/bash']) {
    if (isAbsolute(candidate) && (await isExecutable(candidate))) return candidate;
  }
  return '/bin/sh';
}

function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

async function checkPath(program: string, path: string): Promise<string> {
  const verdict = await judgeSoon(path);
  if (verdict === 'missing') {
    const where = path === program ? '' : ` (as ${path})`;
    const hint = /\s/.test(program) ? '; give its arguments separately' : '';
    throw notFound(program, `program ${quote(program)} does not exist${where}${hint}`);
  }
  if (verdict !== 'executable') throw notExecutable(path, verdict);
  return path;
}

async function search(program: string, cwd: string, path: string): Promise<string> {
  const asked: { readonly path: string; readonly verdict: Verdict | Promise<Verdict> }[] = [];
  // An empty entry means the working directory (POSIX).
  for (const directory of path.split(':')) {
    const candidate = resolve(cwd, directory, program);
    const verdict = judgeSoon(candidate);
    asked.push({ path: candidate, verdict });
    if (verdict === 'executable') break;
  }
  let refused: VtrError | null = null;
  for (const each of asked) {
    const verdict = await each.verdict;
    if (verdict === 'executable') return each.path;
    if (verdict === 'forbidden' || verdict === 'directory')
      refused ??= notExecutable(each.path, verdict);
  }
  const hint = /\s/.test(program)
    ? 'give its arguments separately'
    : `check the name, or give its full path; PATH is ${path}`;
  const message = `program ${quote(program)} was not found in PATH; ${hint}`;
  throw refused ?? notFound(program, message, path);
}

/** Directories of the system. Where they do not respond, no program starts. */
const systemDirectories = ['/bin', '/sbin', '/usr/bin', '/usr/sbin'];

/**
 * Judges a file in a directory of the system at once: each asynchronous call costs two changes of
 * threads. Another file system may not respond, so others are asked all together.
 */
function judgeSoon(path: string): Verdict | Promise<Verdict> {
  return systemDirectories.includes(dirname(path)) ? judgeNow(path) : judge(path);
}

function judgeNow(path: string): Verdict {
  try {
    const stats = statSync(path);
    const canExecute = stats.isFile() && isExecutableNow(path);
    return verdictOf(stats, canExecute);
  } catch (error) {
    return verdictOf(error as NodeJS.ErrnoException, false);
  }
}

function isExecutableNow(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

async function judge(path: string): Promise<Verdict> {
  // Usually the file is missing, and the second question is not needed.
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => error);
  return verdictOf(found, !(found instanceof Error) && (await isExecutable(path)));
}

function verdictOf(found: Stats | NodeJS.ErrnoException, canExecute: boolean): Verdict {
  if (found instanceof Error) return found.code === 'EACCES' ? 'unreachable' : 'missing';
  if (!found.isFile()) return found.isDirectory() ? 'directory' : 'forbidden';
  return canExecute ? 'executable' : 'forbidden';
}

/** Checks the interpreter named after the `#!` of a script. */
async function checkInterpreter(script: string, cwd: string): Promise<void> {
  const interpreter = /^#![ \t]*([^ \t\n]+)/.exec(firstBytes(script))?.[1];
  if (interpreter === undefined) return;
  const verdict = await judgeSoon(resolve(cwd, interpreter));
  if (verdict === 'executable') return;
  const problem = `script ${quote(script)} names the interpreter ${quote(interpreter)}`;
  if (verdict !== 'missing') {
    throw new VtrError('PROGRAM_NOT_EXECUTABLE', `${problem}, which is not executable`, {
      details: { program: script, interpreter },
    });
  }
  const hint = interpreter.endsWith('\r') ? '; convert the DOS line endings of the script' : '';
  throw new VtrError('PROGRAM_NOT_FOUND', `${problem}, which does not exist${hint}`, {
    details: { program: script, interpreter },
  });
}

/**
 * Returns the beginning of a file; empty if it may not be read. Synchronous, because an fd that
 * another thread closes during a fork would be a gap (see MasterFds).
 */
function firstBytes(path: string): string {
  try {
    const file = openSync(path, 'r');
    try {
      const buffer = Buffer.alloc(firstLineBytes);
      return buffer.toString('utf8', 0, readSync(file, buffer));
    } finally {
      closeSync(file);
    }
  } catch {
    return '';
  }
}

function notFound(program: string, message: string, path?: string): VtrError {
  const details = { program, ...(path === undefined ? {} : { path }) };
  return new VtrError('PROGRAM_NOT_FOUND', message, { details });
}

function notExecutable(path: string, verdict: Verdict): VtrError {
  const reason =
    verdict === 'directory'
      ? 'is a directory'
      : verdict === 'unreachable'
        ? 'is in a directory that this user may not enter'
        : 'is not executable by this user; add execute permission (chmod +x)';
  return new VtrError('PROGRAM_NOT_EXECUTABLE', `${quote(path)} ${reason}`, {
    details: { program: path },
  });
}

function quote(text: string): string {
  return JSON.stringify(text);
}
