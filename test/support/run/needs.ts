import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { it } from 'vitest';
import { hasSshd } from '../sshd/sshd.ts';

/** `it`, or its replacement when the test cannot run. */
type It = (title: string, body: () => void | Promise<void>, timeoutMs?: number) => void;

/**
 * `it` for a test that needs programs. Without one of them the test is skipped, with the reason in its
 * title.
 *
 * @example needs('vim')('[S3.36] shows what vim draws', async () => { ... });
 */
export function needs(...programs: string[]): It {
  const missing = programs.filter((program) => !isInstalled(program));
  return provided(missing.length === 0, `needs ${missing.join(', ')}`);
}

/**
 * `it` for a test that runs only when `condition` is true.
 *
 * @param reason starts with `only` or `needs`; it is added to the title of a skipped test
 * @example provided(process.platform === 'linux', 'only on Linux: reads /proc')('...', ...);
 */
export function provided(condition: boolean, reason: `only ${string}` | `needs ${string}`): It {
  if (condition) return it;
  return (title, body) => it.skip(`${title} (${reason})`, body);
}

/** Whether PATH has a program. */
export function isInstalled(program: string): boolean {
  const directories = (process.env['PATH'] ?? '')
    .split(delimiter)
    .filter((directory) => directory !== '');
  return directories.some((directory) => {
    try {
      accessSync(join(directory, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** `it` for a test that needs an SSH server. */
export const needsSshd = provided(hasSshd, 'needs sshd: apt-get install openssh-server');
