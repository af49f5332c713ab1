import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import { VtrError } from '#model';
import type { PtySpawnRequest } from '../port.ts';

/**
 * exec(2) ends a string at its first NUL, so that a program would be started with other arguments
 * than those asked for.
 *
 * @throws VtrError NUL_IN_STRING; INVALID_ARGUMENT for a name that no environment can hold
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
      `env name ${JSON.stringify(name)} is not possible: it is empty or holds "="`,
      { details: { name } },
    );
  }
}

function refuseNul(what: string, text: string): void {
  if (!text.includes('\0')) return;
  throw new VtrError('NUL_IN_STRING', `${what} holds a NUL byte, which would cut it; remove it`, {
    details: { what },
  });
}

/** @throws VtrError CWD_NOT_FOUND, CWD_NOT_DIRECTORY; INVALID_ARGUMENT when it is not absolute */
export async function checkCwd(cwd: string): Promise<void> {
  const shown = `working directory ${JSON.stringify(cwd)}`;
  const details = { cwd };
  if (!isAbsolute(cwd)) {
    throw new VtrError('INVALID_ARGUMENT', `${shown} must be an absolute path`, { details });
  }
  try {
    if (!(await stat(cwd)).isDirectory()) {
      throw new VtrError('CWD_NOT_DIRECTORY', `${shown} is no directory`, { details });
    }
    await access(cwd, constants.X_OK);
  } catch (error) {
    if (error instanceof VtrError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    const options = { details, cause: error };
    if (code === 'EACCES') {
      throw new VtrError('CWD_NOT_DIRECTORY', `${shown} may not be entered by this user`, options);
    }
    if (code === 'ENOTDIR') {
      throw new VtrError('CWD_NOT_DIRECTORY', `${shown} leads through a file`, options);
    }
    const reason = code === 'ENOENT' ? 'does not exist; create it first' : `is unusable: ${code}`;
    throw new VtrError('CWD_NOT_FOUND', `${shown} ${reason}`, options);
  }
}
