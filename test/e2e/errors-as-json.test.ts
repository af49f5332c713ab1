import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { allVerbs } from '#app/cli';
import { errorTable } from '#model';
import { Place, vtrFile } from '../support/command/vtr-command.ts';
import { vtrHere } from '../support/command/vtr-here.ts';
import { provided } from '../support/run/needs.ts';

const verbs = (await allVerbs()).filter(({ flags }) => Object.hasOwn(flags, 'json'));

/** What stderr has: an object a line. */
const messagesIn = (stderr: string) =>
  stderr
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

/** A command without the help of the daemon: Node's own pipes are not used then. */
const alone = { NODE_OPTIONS: '--pending-deprecation' };

function configure(place: Place, text: string): void {
  const directory = join(place.directory, 'config/vtr');
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, 'config.toml'), text);
}

describe.each(verbs)('vtr $name --json', ({ name }) => {
  it('reports a mistake as one object on stderr, and nothing on stdout', async () => {
    const words = [...name.split(' '), '--json', '--no-such-flag'];
    const { status, stdout, stderr } = await vtrHere(words, new Place().surroundings);
    expect([status, stdout]).toEqual([2, '']);
    expect(messagesIn(stderr)).toEqual([
      {
        error: {
          code: 'INVALID_ARGUMENT',
          message: expect.stringContaining('--no-such-flag'),
          hint: expect.stringMatching(
            new RegExp(`^usage: vtr ${name}.*\nhelp: vtr ${name} --help$`),
          ),
          session: null,
          exit_status: 2,
          details: {},
        },
      },
    ]);
  });
});

describe('with --json, a failure', () => {
  it('is the same object from this process and from the daemon, with the session and the facts', async () => {
    const place = new Place();
    await place.shell('a');
    for (const [words, code, message] of [
      [['info', 'b', '--json'], 'SESSION_NOT_FOUND', 'session "b" not found'],
      [['--json', 'screen', 'b'], 'SESSION_NOT_FOUND', 'session "b" not found'],
      [['key', 'a', 'nokey', '--json'], 'INVALID_KEY', 'session a: key "nokey"'],
      [['wait', 'a', '(', '--json'], 'INVALID_PATTERN', 'session a: "("'],
      [['spawn', 'a', '--json', '--', 'sh'], 'SESSION_ALREADY_EXISTS', 'session a exists'],
      [['spawn', 'c', '--json', '--', '/no/program'], 'PROGRAM_NOT_FOUND', 'session c: '],
    ] as const) {
      const text = await place.vtr(words.filter((word) => word !== '--json'));
      for (const env of [{}, alone]) {
        const { status, stdout, stderr } = await place.vtr(words, { env });
        expect([words, status, stdout]).toEqual([words, text.status, '']);
        const [{ error }] = messagesIn(stderr);
        expect(error).toMatchObject({ code, exit_status: errorTable[code].exit });
        expect(error.message).toContain(message);
        expect(error.session).toBe(/"?([abc])"?/.exec(message.replace('session', ''))?.[1]);
        expect(`vtr: ${error.message}\n`).toBe(text.stderr);
      }
    }
  });

  it('of several sessions is one object each, and a note is an object, too', async () => {
    const place = new Place();
    await place.shell('a');
    const { status, stdout, stderr } = await place.result(['rm', 'a', 'b', 'c*', '--json']);
    expect(status).toBe(4);
    expect(JSON.parse(stdout)).toMatchObject({ removed: [{ name: 'a' }] });
    const errors = messagesIn(stderr).map(({ error }) => [error.code, error.session]);
    expect(errors.toSorted()).toEqual([
      ['SESSION_NOT_FOUND', 'b'],
      ['SESSION_NOT_FOUND', 'c*'],
    ]);
    configure(place, `[[coordinators]]\npath = ${JSON.stringify(join(place.directory, 'no'))}\n`);
    writeFileSync(join(place.directory, 'no'), '');
    const list = await place.vtr(['ls', '--json']);
    expect(list.status).toBe(0);
    expect(messagesIn(list.stderr)).toEqual([
      { note: expect.stringMatching(/^skipped: .*socket$/) },
    ]);
  });

  it('is an object also where the configuration chooses JSON, for verbs that print it', async () => {
    const place = new Place();
    configure(place, '[defaults]\noutput_format = "json"\n');
    for (const env of [{}, alone]) {
      const { stderr } = await place.vtr(['info', 'b'], { env });
      expect(messagesIn(stderr)).toMatchObject([{ error: { code: 'SESSION_NOT_FOUND' } }]);
    }
    expect((await place.vtr(['attach', 'b'])).stderr).toMatch(/^vtr: /);
  });

  it('is text after --, and for vtr tmux, whose words are those of another command', async () => {
    const place = new Place();
    const { stderr } = await place.vtr(['exec', '--nonsense', '--', 'sh', '--json']);
    expect(stderr).toMatch(/^vtr: unknown flag/);
    expect((await place.vtr(['tmux', 'nonsense', '--json'])).stderr).not.toContain('{');
  });

  provided(process.platform === 'linux', 'only on Linux, which has /dev/full')(
    'to write stdout is an object',
    async () => {
      const place = new Place();
      await place.shell('a');
      const line = `"${process.execPath}" "${vtrFile}" ls --json > /dev/full`;
      for (const env of [{}, alone]) {
        const { status, stderr } = await place.shellLine(line, { env });
        expect(status).toBe(10);
        expect(messagesIn(stderr)).toMatchObject([
          { error: { code: 'IO_ERROR', exit_status: 10 } },
        ]);
      }
    },
  );
});
