import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import { isVtrError, VtrError } from '#model';
import type { PtySpawnRequest } from '../port.ts';
import { resolveProgram } from './resolve-program.ts';

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
      { details: { name } },
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
  const shown = `working directory ${JSON.stringify(cwd)}`;
  const details = { cwd };
  if (!isAbsolute(cwd)) {
    throw new VtrError('INVALID_ARGUMENT', `${shown} must be an absolute path`, { details });
  }
  try {
    const entering = access(cwd, constants.X_OK);
    entering.catch(() => {});
    if (!(await stat(cwd)).isDirectory()) {
      throw new VtrError('CWD_NOT_DIRECTORY', `${shown} is not a directory`, { details });
    }
    await entering;
  } catch (error) {
    if (isVtrError(error)) throw error;
    const { code } = error as NodeJS.ErrnoException;
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
