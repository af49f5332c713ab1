import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { trailFiles, verifyTrail } from '#audit';
import { auditDirectory } from '#config';
import { Place } from '../support/command/vtr-command.ts';

const directoryOf = (place: Place) => auditDirectory({ env: place.env }, place.socket);

it('--verify: a trail is whole across kill -9 and restarts of its daemon, and shows each change', async () => {
  const place = new Place();
  await place.ok('spawn', 'one', '--', 'cat');
  for (const round of ['a', 'b']) {
    for (const word of ['1', '2', '3']) await place.ok('send', 'one', `${round}${word}\r`);
    process.kill((await place.json('serve', '--status')).pid, 'SIGKILL');
    await place.ok('send', 'one', 'after the kill\r');
    expect((await place.result(['serve', '--restart'])).status).toBe(0);
  }
  await place.ok('rm', 'one');
  expect((await place.result(['serve', '--stop'])).status).toBe(0);
  const whole = await place.json('log', '--verify');
  expect(whole).toMatchObject({ intact: true, oldest: 1, lost: 0, breaks: [], contains: null });
  expect(whole.newest).toBe(whole.entries);
  const { stdout } = await place.vtr(['log', '--verify']);
  expect(stdout).toBe(
    `whole: ${whole.entries} entries, 1 to ${whole.newest}; the hash of the newest is ${whole.hash}\n`,
  );

  const [file = ''] = trailFiles(directoryOf(place));
  const text = readFileSync(file, 'utf8');
  const lines = text.split('\n');
  writeFileSync(file, lines.toSpliced(4, 2).join('\n'));
  const removed = await place.result(['log', '--verify']);
  expect([removed.status, removed.stdout]).toEqual([
    1,
    expect.stringMatching(
      /^broken: 000001\.jsonl line 5, entry 7 of .*Z: 2 entries before it are missing\n/,
    ),
  ]);
  // The newest entry, which only a hash that was kept elsewhere shows.
  writeFileSync(file, lines.toSpliced(-2, 1).join('\n'));
  expect((await place.result(['log', '--verify'])).status).toBe(0);
  const cut = await place.result(['log', '--verify', '--contains', whole.hash]);
  expect(cut).toMatchObject({
    status: 1,
    stdout: expect.stringContaining('no entry has the hash'),
  });
  writeFileSync(file, text);
  expect((await place.result(['log', '--verify', '--contains', whole.hash])).status).toBe(0);
  expect(verifyTrail(directoryOf(place)).breaks).toEqual([]);

  for (const words of [['one'], ['--last', '1'], ['--since', '1h'], ['--follow']]) {
    expect((await place.result(['log', '--verify', ...words])).status).toBe(2);
  }
  expect((await place.result(['log', '--contains', whole.hash])).stderr).toContain(
    'needs --verify',
  );
  expect((await place.result(['log', '--verify', '--contains', 'x'])).status).toBe(2);
  rmSync(file);
  const none = await place.result(['log', '--verify']);
  expect(none).toMatchObject({
    status: 10,
    stderr: expect.stringContaining('there is no audit trail'),
  });
});
