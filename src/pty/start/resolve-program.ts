import { closeSync, constants, openSync, readSync } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { VtrError } from '#model';

/** What execvp(3) searches where PATH is not set: confstr(_CS_PATH). */
const defaultPath = '/bin:/usr/bin';

/** The kernel reads no more of a script's first line than this (BINPRM_BUF_SIZE). */
const firstLineBytes = 256;

type Verdict = 'executable' | 'missing' | 'unreachable' | 'forbidden' | 'directory';

/**
 * The absolute path that execve(2) would be given. Asked before the fork, because afterwards a
 * mistake is one line of text in the terminal and exit status 1.
 *
 * @param path PATH of the program's own environment; its relative entries, like a relative
 * `program`, are relative to `cwd`
 * @throws VtrError PROGRAM_NOT_FOUND, PROGRAM_NOT_EXECUTABLE
 */
export async function resolveProgram(
  program: string,
  cwd: string,
  path = defaultPath,
): Promise<string> {
  if (program === '') throw new VtrError('PROGRAM_NOT_FOUND', 'no program was named');
  const resolved = program.includes('/')
    ? await checkPath(program, resolve(cwd, program))
    : await search(program, cwd, path);
  await checkInterpreter(resolved, cwd);
  return resolved;
}

async function checkPath(program: string, path: string): Promise<string> {
  const verdict = await judge(path);
  if (verdict === 'missing') {
    const where = path === program ? '' : ` (looked for ${path})`;
    throw notFound(program, `program ${quote(program)} does not exist${where}`);
  }
  if (verdict !== 'executable') throw notExecutable(path, verdict);
  return path;
}

async function search(program: string, cwd: string, path: string): Promise<string> {
  let refused: VtrError | null = null;
  // An empty entry is the working directory, as POSIX has it.
  for (const directory of path.split(':')) {
    const candidate = resolve(cwd, directory, program);
    const verdict = await judge(candidate);
    if (verdict === 'executable') return candidate;
    if (verdict === 'forbidden' || verdict === 'directory')
      refused ??= notExecutable(candidate, verdict);
  }
  const message = `program ${quote(program)} was not found in PATH (${path}); give its full path`;
  throw refused ?? notFound(program, message);
}

async function judge(path: string): Promise<Verdict> {
  try {
    const stats = await stat(path);
    if (!stats.isFile()) return stats.isDirectory() ? 'directory' : 'forbidden';
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EACCES' ? 'unreachable' : 'missing';
  }
  return access(path, constants.X_OK).then(
    () => 'executable',
    () => 'forbidden',
  );
}

/** A script starts only if the program after its `#!` does. */
async function checkInterpreter(script: string, cwd: string): Promise<void> {
  const interpreter = /^#![ \t]*([^ \t\n]+)/.exec(firstBytes(script))?.[1];
  if (interpreter === undefined) return;
  const verdict = await judge(resolve(cwd, interpreter));
  if (verdict === 'executable') return;
  const says = `script ${quote(script)} asks to be run by ${quote(interpreter)}`;
  if (verdict !== 'missing') {
    throw new VtrError('PROGRAM_NOT_EXECUTABLE', `${says}, which may not be executed`, {
      details: { program: script, interpreter },
    });
  }
  const hint = interpreter.endsWith('\r') ? '; the file has DOS line ends, convert them' : '';
  throw new VtrError('PROGRAM_NOT_FOUND', `${says}, which does not exist${hint}`, {
    details: { program: script, interpreter },
  });
}

/**
 * Empty for what may be executed and not read. Synchronous: by now the file is known to be there,
 * and a descriptor closed by another thread would be a gap in the middle of a fork (MasterNumbers).
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

function notFound(program: string, message: string): VtrError {
  return new VtrError('PROGRAM_NOT_FOUND', message, { details: { program } });
}

function notExecutable(path: string, verdict: Verdict): VtrError {
  const reason =
    verdict === 'directory'
      ? 'is a directory'
      : verdict === 'unreachable'
        ? 'lies in a directory that this user may not enter'
        : 'may not be executed by this user; give it execute permission (chmod +x)';
  return new VtrError('PROGRAM_NOT_EXECUTABLE', `${quote(path)} ${reason}`, {
    details: { program: path },
  });
}

function quote(text: string): string {
  return JSON.stringify(text);
}
