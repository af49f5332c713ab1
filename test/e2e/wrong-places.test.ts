import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { Place } from '../support/command/vtr-command.ts';

/** Verbs that would print an empty answer if the place was taken for one at which nothing runs. */
const readers = [
  'ls',
  'ls --json',
  'info a',
  'read a',
  'rm --all',
  'grep --all x',
  'serve --status',
];
/** The message of a failure, as text or as JSON. */
const messageOf = (stderr: string): string =>
  stderr.startsWith('{') ? JSON.parse(stderr.slice(0, stderr.indexOf('\n'))).error.message : stderr;

const all = [...readers, 'spawn a', 'exec -- true', 'serve --stop', 'mcp', 'log', 'connect'];

describe('a socket path that cannot be used', () => {
  const long = `/tmp/${'x'.repeat(150)}/s.sock`;

  it.each([
    ['VTR_SOCKET', long, 'the socket path has 162 bytes, over the limit of 103: /tmp/xx'],
    ['XDG_RUNTIME_DIR', `DIRECTORY${dirname(long)}`, 'over the limit of 103: '],
    ['VTR_SOCKET', '/tmp/a\nb', 'the socket path "/tmp/a\\nb" contains a control character'],
    ['VTR_SOCKET', 'gpu', 'VTR_SOCKET is gpu; give an absolute path'],
  ])('is refused by each verb: %s=%s', async (variable, value, message) => {
    const place = new Place();
    const named = value.replace('DIRECTORY', place.directory);
    const env = { VTR_SOCKET: '', XDG_RUNTIME_DIR: '', [variable]: named };
    for (const line of all) {
      const { status, stdout, stderr } = await place.vtr(line.split(' '), { env, input: '' });
      expect({ line, status, stdout, message: messageOf(stderr) }).toEqual({
        line,
        status: 2,
        message: expect.stringContaining(message),
        stdout: line === 'connect' ? expect.any(String) : '',
      });
    }
  });

  it('is refused after --coordinator and --socket, and in the configuration', async () => {
    const place = new Place();
    const refused = async (...words: string[]) => {
      const { status, stderr } = await place.vtr(words);
      expect({ words, status, stderr }).toMatchObject({ status: 2 });
      expect(stderr).toContain('over the limit of 103');
    };
    for (const line of readers.slice(0, -1))
      await refused(...line.split(' '), '--coordinator', long);
    await refused('serve', '--stop', '--socket', long);
    await refused('config', 'add', long);
    const file = (name: string) => join(place.directory, 'config/vtr', name);
    mkdirSync(dirname(file('x')), { recursive: true });
    writeFileSync(file('config.toml'), `[[coordinators]]\npath = "${long}"\n`);
    const listed = await place.vtr(['ls']);
    expect(listed).toMatchObject({ status: 0, stdout: expect.stringContaining('SESSION') });
    expect(listed.stderr).toContain('skipped: the socket path has 162 bytes');
    writeFileSync(file('server.toml'), `socket_path = "${long}"\n`);
    const { status, stderr } = await place.vtr(['ls'], { env: { VTR_SOCKET: '' } });
    expect({ status, stderr }).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('over the limit of 103'),
    });
  });

  it('is not that of another file', async () => {
    const place = new Place();
    const file = join(place.directory, 'file');
    writeFileSync(file, '');
    for (const socket of [file, place.directory]) {
      for (const line of readers) {
        const words = line.split(' ');
        const own = await place.vtr(words, { env: { VTR_SOCKET: socket } });
        const named = line.startsWith('serve')
          ? own
          : await place.vtr([...words, '--coordinator', socket]);
        for (const { status, stdout, stderr } of [own, named]) {
          expect({ line, status, stdout }).toEqual({ line, status: 3, stdout: '' });
          expect(messageOf(stderr)).toMatch(
            new RegExp(`no coordinator answers at ${socket}: it is not a socket$`, 'm'),
          );
        }
      }
    }
  });

  it('begins with the home directory for ~, which no shell has expanded', async () => {
    const place = new Place();
    const { stderr } = await place.vtr(['read', 'a'], { env: { VTR_SOCKET: '~/run/s.sock' } });
    expect(stderr).toContain(`at ${place.env['HOME']}/run/s.sock`);
  });
});

describe('a coordinator that is named twice', () => {
  it('is one, or an error', async () => {
    const place = new Place();
    await place.ok('spawn', 'a', '--', 'cat');
    const own = `${basename(place.socket, '.sock')}:a`;
    expect((await place.vtr(['info', own, '--coordinator', place.socket])).status).toBe(0);
    const elsewhere = join(place.directory, 'other.sock');
    for (const line of [
      'info',
      'ls',
      'rm',
      'read',
      'log',
      'ls --watch',
      'export -o x.cast',
    ].values()) {
      const words = [...line.split(' '), own, '--coordinator', elsewhere];
      const { status, stdout, stderr } = await place.vtr(words, { killAfterMs: 30_000 });
      expect({ line, status, stdout, stderr }).toEqual({
        line,
        status: 2,
        stdout: '',
        stderr: `vtr: ${own} and --coordinator ${elsewhere} name two coordinators; give one of them\n`,
      });
    }
  });
});

describe('a name of thousands of characters, and one with control characters', () => {
  const long = 'x'.repeat(5_000);

  // One session at a time would be slow: none is typed into.
  const place = new Place(afterAll);
  const verbs =
    `ls --label,info,read,ls,rm,spawn,take,record start,wait,label,,ls --sort,read a --since
config add,key a,kill a,wait a --agent,send a x --timeout,info a --coordinator,read a --at,export -o x.txt,test,install
play,report --state,agents install,web unshare`.split(/[,\n]/);

  it.each(verbs)('is cut, and its characters are shown: vtr %s NAME', async (line) => {
    await place.vtr(['spawn', 'a', '--', 'cat']);
    const words = line.split(' ').filter((word) => word !== '');
    const { status, stderr } = await place.vtr([...words, long]);
    expect(status).not.toBe(0);
    expect(stderr).toMatch(/xxx…(?:xxx|")/);
    expect(stderr.length).toBeLessThan(2_000);
    const hostile = await place.vtr([...words, 'b\x1b[31m\rc\nd e']);
    expect(hostile.status).not.toBe(0);
    expect(hostile.stderr).toContain('b\\u001b[31m\\rc\\nd e');
  });

  it('is cut as a flag', async () => {
    const { stderr } = await place.vtr(['ls', `--${long}`]);
    expect(stderr).toMatch(/^vtr: unknown flag --x+…x+ /);
    expect(stderr.length).toBeLessThan(500);
  });
});
