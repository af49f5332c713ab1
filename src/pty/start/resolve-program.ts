import { closeSync, constants, openSync, readSync, type Stats, statSync } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { dirname, isAbsolute, resolve } from 'node:path';
import { defined, quoted } from '#base';
import { statNow } from '#libc';
import { VtrError } from '#model';
import { isExecutable } from '#trust';
import type { PtySpawnRequest } from '../port.ts';

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
    if (isAbsolute(candidate) && (await isExecutableSoon(candidate))) return candidate;
  }
  return '/bin/sh';
}

function isExecutableSoon(path: string): Promise<boolean> {
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
    throw notFound(program, `program ${quoted(program)} does not exist${where}${hint}`);
  }
  if (verdict !== 'executable') throw notExecutable(path, verdict);
  return path;
}

async function search(program: string, cwd: string, path: string): Promise<string> {
  const candidates: { readonly path: string; readonly verdict: Verdict | Promise<Verdict> }[] = [];
  // An empty entry means the working directory (POSIX).
  for (const directory of new Set(path.split(':'))) {
    const candidate = resolve(cwd, directory, program);
    const verdict = judgeSoon(candidate);
    candidates.push({ path: candidate, verdict });
    if (verdict === 'executable') break;
  }
  let refused: VtrError | null = null;
  for (const each of candidates) {
    const verdict = await each.verdict;
    if (verdict === 'executable') return each.path;
    if (verdict === 'forbidden' || verdict === 'directory')
      refused ??= notExecutable(each.path, verdict);
  }
  const hint = /\s/.test(program)
    ? 'give its arguments separately'
    : `check the name, or give its full path; PATH is ${path}`;
  const message = `program ${quoted(program)} was not found in PATH; ${hint}`;
  throw refused ?? notFound(program, message, path);
}

/** Directories of the system. Where they do not respond, no program starts. */
const systemDirectories = ['/bin', '/sbin', '/usr/bin', '/usr/sbin'];

/**
 * Judges a file at once if the kernel knows that it is missing, or if it is in a directory of the system: each
 * asynchronous call costs two changes of threads. Another file system may not respond, so others are asked all
 * together.
 */
function judgeSoon(path: string): Verdict | Promise<Verdict> {
  if (statNow(path) === 'missing') return 'missing';
  return systemDirectories.includes(dirname(path)) ? judgeNow(path) : judge(path);
}

function judgeNow(path: string): Verdict {
  try {
    const stats = statSync(path);
    const canExecute = stats.isFile() && isExecutable(path);
    return verdictOf(stats, { canExecute });
  } catch (error) {
    return verdictOf(error as NodeJS.ErrnoException, { canExecute: false });
  }
}

async function judge(path: string): Promise<Verdict> {
  // Usually the file is missing, and the second question is not needed.
  const result = await stat(path).catch((error: NodeJS.ErrnoException) => error);
  return verdictOf(result, {
    canExecute: !(result instanceof Error) && (await isExecutableSoon(path)),
  });
}

function verdictOf(
  result: Stats | NodeJS.ErrnoException,
  { canExecute }: { readonly canExecute: boolean },
): Verdict {
  if (result instanceof Error) return result.code === 'EACCES' ? 'unreachable' : 'missing';
  if (!result.isFile()) return result.isDirectory() ? 'directory' : 'forbidden';
  return canExecute ? 'executable' : 'forbidden';
}

/** Checks the interpreter named after the `#!` of a script. */
async function checkInterpreter(script: string, cwd: string): Promise<void> {
  const interpreter = /^#![ \t]*([^ \t\n]+)/.exec(firstBytes(script))?.[1];
  if (interpreter === undefined) return;
  const verdict = await judgeSoon(resolve(cwd, interpreter));
  if (verdict === 'executable') return;
  const problem = `script ${quoted(script)} names the interpreter ${quoted(interpreter)}`;
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
  const details = { program, ...defined({ path }) };
  return new VtrError('PROGRAM_NOT_FOUND', message, { details });
}

function notExecutable(path: string, verdict: Verdict): VtrError {
  const reason =
    verdict === 'directory'
      ? 'is a directory'
      : verdict === 'unreachable'
        ? 'is in a directory that this user may not enter'
        : 'is not executable by this user; add execute permission (chmod +x)';
  return new VtrError('PROGRAM_NOT_EXECUTABLE', `${quoted(path)} ${reason}`, {
    details: { program: path },
  });
}

/**
 * Checks a program and its working directory without starting it.
 *
 * @param cwd absolute
 * @param path PATH of the program's environment
 * @returns the program's absolute path
 * @throws VtrError PROGRAM_NOT_FOUND, PROGRAM_NOT_EXECUTABLE, CWD_NOT_FOUND, CWD_NOT_DIRECTORY
 */
export async function checkProgram(program: string, cwd: string, path?: string): Promise<string> {
  // At the same time, because each question may wait for a thread. The directory's error comes first.
  const checks = [checkCwd(cwd), resolveProgram(program, cwd, path)] as const;
  const [entered, resolved] = await Promise.allSettled(checks);
  if (entered.status === 'rejected') throw entered.reason;
  if (resolved.status === 'rejected') throw resolved.reason;
  return resolved.value;
}

/**
 * Refuses strings with a NUL. execve(2) ends a string at its first NUL, so the program would get
 * other arguments than requested.
 *
 * @throws VtrError NUL_IN_STRING; INVALID_ARGUMENT for an invalid name of an environment variable
 */
export function checkStrings(request: PtySpawnRequest): void {
  refuseNul('program', request.program);
  for (const [index, arg] of request.args.entries()) refuseNul(`args[${index}]`, arg);
  refuseNul('cwd', request.cwd);
  refuseNul('the session name', request.marker.name);
  refuseNul('the session id', request.marker.id);
  for (const [name, value] of Object.entries(request.env)) {
    refuseNul(`the name of env ${JSON.stringify(name)}`, name);
    refuseNul(`env ${name}`, value);
    if (name !== '' && !name.includes('=')) continue;
    throw new VtrError(
      'INVALID_ARGUMENT',
      `env name ${JSON.stringify(name)} is invalid: it is empty or contains "="`,
      { details: { variable: name } },
    );
  }
}

function refuseNul(what: string, text: string): void {
  if (!text.includes('\0')) return;
  throw new VtrError('NUL_IN_STRING', `${what} contains a NUL byte; remove it`, {
    details: { what },
  });
}

/** @throws VtrError CWD_NOT_FOUND, CWD_NOT_DIRECTORY; INVALID_ARGUMENT if it is not absolute */
async function checkCwd(cwd: string): Promise<void> {
  // One question, which only a directory answers that this user may enter.
  const question = `${cwd}/.`;
  const stats = isAbsolute(cwd) ? statNow(question) : null;
  if (stats !== null && stats !== 'missing') return;
  const shown = `working directory ${JSON.stringify(cwd)}`;
  const details = { cwd };
  if (!isAbsolute(cwd)) {
    throw new VtrError('INVALID_ARGUMENT', `${shown} must be an absolute path`, { details });
  }
  try {
    await access(question, constants.X_OK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOTDIR' && (await stat(cwd).catch(() => null)) !== null) {
      throw new VtrError('CWD_NOT_DIRECTORY', `${shown} is not a directory`, { details });
    }
    const options = { details, cause: error };
    if (code === 'EACCES') {
      throw new VtrError(
        'CWD_NOT_DIRECTORY',
        `${shown} may not be entered by this user; check its permissions`,
        options,
      );
    }
    if (code === 'ENOTDIR') {
      throw new VtrError(
        'CWD_NOT_DIRECTORY',
        `${shown} has a file in its path that is not a directory`,
        options,
      );
    }
    const reason =
      code === 'ENOENT' ? 'does not exist; create it first' : `cannot be used: ${code}`;
    throw new VtrError('CWD_NOT_FOUND', `${shown} ${reason}`, options);
  }
}
