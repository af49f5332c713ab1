import { expect, it } from 'vitest';
import { shellQuoted } from '#base';
import { VtrError } from '#model';
import { failureLine } from './greeting.ts';
import { openTool, reaches } from './open-tool.ts';

/** An address whose tool runs lines of sh. */
const toolOf = (lines: string): string => `exec:sh -c ${shellQuoted(lines)} tool`;

it('reads what arrives after the end of the program that printed it', async () => {
  const none = new VtrError('UNAVAILABLE', 'none', { details: { reason: 'ENOENT' } });
  const line = failureLine(none).trim();
  // `kill -0` fails when this process has seen the end of the first shell.
  const later = `(while kill -0 $$ 2>/dev/null; do :; done; echo ${shellQuoted(line)}) 2>/dev/null & exit 0`;
  expect(await reaches(toolOf(later))).toBe(false);
});

it('calls a tool once more by a shell only if it has no vtr', async () => {
  const answer = `case "$*" in *local/bin*) echo second >&2; exit 5;; esac; echo first >&2; exit`;
  const opened = (status: number) => openTool(toolOf(`${answer} ${status}`));
  await expect(opened(4)).rejects.toThrow(/cannot be reached: first$/);
  await expect(opened(127)).rejects.toThrow(
    /cannot be reached: first; copy vtr there with vtr inst/,
  );
  // An answer of the second counts.
  const none = failureLine(new Error('x')).trim();
  const second = `case "$*" in *local/bin*) echo ${shellQuoted(none)};; *) exit 127;; esac`;
  await expect(openTool(toolOf(second))).rejects.toThrow('cannot be reached: internal error: x');
});
