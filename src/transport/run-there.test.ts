import { describe, expect, it } from 'vitest';
import { shellQuoted } from '#base';
import { runThere } from './run-there.ts';

/** An address whose tool runs lines of sh; `$@` is what it would run there. */
const toolOf = (lines: string): string => `exec:sh -c ${shellQuoted(lines)} tool`;

describe('a script on another machine', () => {
  it('gets its stdin, and its status, output and messages come back without what shells print', async () => {
    const tool = toolOf('echo welcome; echo motd >&2; "$@"; echo bye');
    const input = Buffer.from('from\nhere');
    const ran = await runThere(tool, 'cat; echo; echo "it said" >&2; exit 7', { input });
    expect(ran).toEqual({ status: 7, output: 'from\nhere\n', words: 'motd; it said' });
  });

  it('can end before it has read its stdin', async () => {
    const input = Buffer.alloc(4 * 1024 * 1024);
    const ran = await runThere(toolOf('exec "$@"'), 'exit 3', { input });
    expect(ran).toMatchObject({ status: 3, output: '' });
  });

  it.each([
    ['does not start', 'echo no route >&2; exit 255', 'cannot be reached: no route'],
    ['ends without a word', 'exit 4', 'cannot be reached: sh exited with status 4'],
    [
      'is broken',
      'echo vtr-begins; echo lost >&2; exit 255',
      'the connection to .* is broken: lost',
    ],
    ['is killed', 'echo vtr-begins; kill -9 "$$"', 'is broken: sh was killed by SIGKILL'],
    [
      'prints without end',
      'echo vtr-begins; exec yes',
      'is broken: it printed more than 1 MiB to stdout',
    ],
    [
      'has a child that prints without end',
      'yes',
      'cannot be reached: it printed more than 1 MiB to stdout',
    ],
    [
      'has a child that ignores SIGTERM and prints without end',
      "trap '' TERM; yes & wait",
      'cannot be reached: it printed more than 1 MiB to stdout',
    ],
    ['prints errors without end', 'yes >&2', 'reached: it printed more than 1 MiB to stderr'],
  ])('fails if its connection %s', async (_title, lines, message) => {
    await expect(runThere(toolOf(lines), 'true')).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: expect.stringMatching(message),
    });
  });

  it('fails without the tool, and for text that is not an address', async () => {
    await expect(runThere('exec:no-such-tool-vtr', 'true')).rejects.toThrow(
      'exec:no-such-tool-vtr cannot be reached: no-such-tool-vtr is not installed',
    );
    await expect(runThere('http://x', 'true')).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
  });
});
