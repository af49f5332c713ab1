import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { isAbsolute } from 'node:path';

/**
 * The shell to start when no program is named: the configured one, else the user's SHELL, else bash,
 * else sh. What is configured is taken as it is, so that a mistake in it is seen; a SHELL that
 * cannot be executed is passed over, because hosts hand down whatever they had.
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
