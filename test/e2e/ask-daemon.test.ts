import { spawnSync } from 'node:child_process';
import { chownSync, copyFileSync, mkdtempSync, readdirSync, symlinkSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { Place, vtrFile } from '../support/command/vtr-command.ts';
import { provided } from '../support/run/needs.ts';
import { tree } from '../support/tree.ts';

/** Node's own pipes are not used then, and the daemon is not asked. */
const alone = { NODE_OPTIONS: '--pending-deprecation' };

const withoutTimes = (text: string): string => text.replace(/\b\d+m?s\b/g, 'TIME');

it('a short verb prints the same from the daemon as from its own process', async () => {
  const place = new Place();
  await place.shell('a');
  await place.vtr(['run', 'a', '--', 'printf "one\\ntwo"; false']);
  for (const words of [
    ['screen', 'a'],
    ['screen', 'a', '--json'],
    ['screen', 'nobody'],
    ['ls'],
    ['ls', '--nonsense'],
    ['info', 'a', '--json'],
    ['read', 'a', '--tail', '1'],
    ['commands', 'a', '--json'],
    ['send', 'nobody', 'x'],
    ['key', 'a', 'nokey'],
  ]) {
    const [here, there] = [await place.vtr(words, { env: alone }), await place.vtr(words)];
    const textOf = ({ stdout, stderr, status }: typeof here) => {
      return [words, status, withoutTimes(stdout), withoutTimes(stderr)];
    };
    expect(textOf(there)).toEqual(textOf(here));
  }
});

/** Listens at the socket of a place in place of a daemon, and counts connections by their first bytes. */
async function pretender(place: Place, answer: string | null) {
  const heads: string[] = [];
  const requests: string[] = [];
  const server: Server = createServer((connection) => {
    connection
      .on('error', () => {})
      .once('data', (bytes) => {
        heads.push(bytes.toString('latin1').split(/[\n /]/, 1)[0] ?? '');
        requests.push(bytes.toString('latin1'));
        if (answer !== null) connection.end(answer, 'latin1');
      });
  });
  await new Promise<void>((resolve) => server.listen(place.socket, resolve));
  onTestFinished(() => void server.close());
  return { heads, requests };
}

it.each([
  ['an earlier daemon, for which it is bad HTTP', 'HTTP/1.1 400 Bad Request\r\n\r\n'],
  ['a daemon that refuses', 'n\0\0\0\0'],
  ['a daemon that ends', ''],
])('runs the command itself where it asks %s', async (_what, answer) => {
  const place = new Place();
  const { heads } = await pretender(place, answer);
  expect(await place.vtr(['ls', '--names'])).toMatchObject({ status: 3, stdout: '' });
  expect(heads.slice(0, 2)).toEqual(['vtr-command', 'POST']);
});

it('does not repeat a command of which something was printed', async () => {
  const place = new Place();
  const { heads } = await pretender(place, 'o\x04\0\0\0one\n');
  const { status, stdout, stderr } = await place.vtr(['ls']);
  expect([status, stdout]).toEqual([3, 'one\n']);
  expect(stderr).toBe(`vtr: the daemon at ${place.socket} ended before the command did\n`);
  expect(heads).toEqual(['vtr-command']);
});

it('gives what it types an id, also if its text looks like one', async () => {
  const place = new Place();
  const { requests } = await pretender(place, 'x\x01\0\0\0\0');
  expect((await place.vtr(['send', 'a', '--', '--input-id'])).status).toBe(0);
  expect(requests).toEqual([
    expect.stringMatching(/\0send\0--input-id\0[\w-]+\0a\0--\0--input-id\0/),
  ]);
});

const asRoot = provided(process.getuid?.() === 0, 'only as root: gives files away');
asRoot('does not tell the environment to a daemon of another user', async () => {
  const place = new Place();
  const { heads } = await pretender(place, 'HTTP/1.1 500 No\r\ncontent-length: 0\r\n\r\n');
  chownSync(place.socket, 1, 1);
  expect((await place.vtr(['ls'])).status).not.toBe(0);
  expect(heads).not.toContain('vtr-command');
});

it('types once what is repeated by another process, and the trail names this one', async () => {
  const place = new Place();
  await place.ok('spawn', 'a', '--', 'cat');
  const words = ['send', 'a', 'one', '--input-id', 'x'];
  for (const env of [{}, alone]) expect((await place.vtr(words, { env })).status).toBe(0);
  const { status, pid } = spawnSync(process.execPath, [vtrFile, 'send', 'a', 'two'], {
    env: place.env,
  });
  expect(status).toBe(0);
  expect(await place.sees('a', 'onetwo')).toEqual(expect.arrayContaining(['onetwo']));
  const { entries } = await place.json('log');
  expect(entries.at(-1)).toMatchObject({ action: 'send', client: 'cli', pid });
});

it('runs its own code after an upgrade, until the daemon is restarted', async () => {
  const place = new Place();
  await place.ok('spawn', 'a', '--', 'cat');
  // The same files but the one that Node runs.
  const upgrade = mkdtempSync(join(tree(), 'dist-'));
  const dist = dirname(vtrFile);
  for (const name of readdirSync(dist)) {
    const [from, to] = [join(dist, name), join(upgrade, name)];
    if (name === 'vtr.cjs') copyFileSync(from, to);
    else if (name.endsWith('.cjs')) symlinkSync(from, to);
  }
  const loads = async (file: string) => {
    const print = `process.on('exit', () => console.log(process.moduleLoadList.includes('NativeModule vm')))`;
    const preload = join(tree({ 'print.cjs': print }), 'print.cjs');
    const line = `"${process.execPath}" --require "${preload}" "${file}" ls --names`;
    return (await place.shellLine(line)).stdout;
  };
  expect(await loads(vtrFile)).toBe('a\nfalse\n');
  expect(await loads(join(upgrade, 'vtr.cjs'))).toBe('a\ntrue\n');
});
