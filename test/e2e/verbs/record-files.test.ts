import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseCast } from '#recording';
import { Replay } from '#replay';
import { Place } from '../../support/command/vtr-command.ts';

const token = 'ghp_0123456789abcdefghijABCDEFGHIJ456789';

interface Listed {
  readonly id: string;
  readonly name: string | null;
  readonly file: string;
  readonly state: string;
  readonly bytes: number;
}

const listed = async (place: Place): Promise<Listed[]> =>
  (await place.json('record', 'ls')).recordings;

const markersOf = (file: string): string[] =>
  parseCast(readFileSync(file)).events.flatMap((event) =>
    event.type === 'marker' ? event.label : [],
  );

describe('vtr record start', () => {
  it('[S3.33] records to a file that goes on after the daemon was killed, without a gap', async () => {
    const place = new Place();
    await place.ok(
      'spawn',
      'one',
      '--',
      'sh',
      '-c',
      'printf ready; while read line; do echo "got $line"; done',
    );
    await place.sees('one', 'ready');
    const file = (await place.ok('record', 'start', 'one')).trim();
    const again = await place.result(['record', 'start', 'one']);
    expect(again).toMatchObject({ status: 2, stderr: expect.stringContaining(file) });
    await place.ok('send', 'one', 'first', '-e', '--wait', 'got first');
    const { pid } = await place.json('serve', '--status');
    const inputs = () => markersOf(file).filter((label) => label.startsWith('agent: '));
    // A marker of the last 250 ms is lost with the daemon.
    await expect.poll(inputs).toHaveLength(1);
    process.kill(pid, 'SIGKILL');
    await place.ok('send', 'one', 'second', '-e', '--wait', 'got second');
    await place.ok('resize', 'one', '100', '30');
    const [info] = await listed(place);
    expect(info).toMatchObject({ file, state: 'on' });
    await place.ok('record', 'stop', 'one');
    const replay = new Replay(parseCast(readFileSync(file)));
    const { rows, cols } = await place.json('screen', 'one');
    const terminal = replay.at(replay.durationMs);
    expect([terminal.size, terminal.screenText().slice(0, 4)]).toEqual([
      { cols, rows },
      (await place.ok('screen', 'one', '--plain')).split('\n').slice(0, 4),
    ]);
    expect(inputs()).toHaveLength(2);
  });

  it('[S3.33] ends with the session, and leaves no secret in any file', async () => {
    const place = new Place();
    writeFileSync(join(place.directory, 'server.toml'), 'redact_patterns = ["VTR-[0-9]{7}"]\n');
    await place.vtr(['serve', '--daemon', '--config', 'server.toml']);
    const script = `printf 'ghp_%s\\n' ${token.slice(4)}; printf '\\033[31m%s\\033[32m%s\\033[m\\n' "$A_SECRET" x; printf VTR-123; sleep 0.1; echo 4567`;
    const variables = ['--env', 'A_SECRET=correct horse battery'];
    await place.ok('spawn', 'one', '--record', ...variables, '--', 'sh', '-c', script);
    await place.result(['wait', 'one', '--exit']);
    await expect.poll(() => listed(place)).toMatchObject([{ session: 'one', state: 'ended' }]);
    const [{ file } = { file: '' }] = await listed(place);
    const { events } = parseCast(readFileSync(file));
    expect(events.at(-1)).toMatchObject({ type: 'exit', status: 0 });
    for (const format of ['v3', 'v2', 'text', 'raw']) {
      const words = ['-o', `one.${format}`, '--format', format];
      expect((await place.result(['record', 'save', 'one', ...words])).status).toBe(0);
    }
    const directory = join(file, '..');
    const files = [
      ...readdirSync(directory).map((name) => join(directory, name)),
      ...['v3', 'v2', 'text', 'raw'].map((format) => join(place.directory, `one.${format}`)),
    ];
    for (const each of files) {
      const text = readFileSync(each, 'utf8');
      for (const secret of [token.slice(4), 'correct horse', 'VTR-1234567', '1234567']) {
        expect(text, each).not.toContain(secret);
      }
    }
  });
});

it('[S3.33] leaves no secret in a file that the session showed once, and vtr redact does so, too', async () => {
  const place = new Place();
  await place.ok('spawn', 'one', '--', 'cat');
  await place.ok('record', 'start', 'one');
  for (const line of ['http://me:hunter2@host/', 'word hunter2 alone']) {
    await place.ok('send', 'one', line, '-e', '--wait', line);
  }
  await place.ok('record', 'stop', 'one');
  const [{ file } = { file: '' }] = await listed(place);
  const recorded = readFileSync(file, 'utf8');
  expect(recorded).toContain('word ••••••• alone');
  expect(recorded).not.toContain('hunter2');
  const output = JSON.stringify('word hunter2 alone\r\nhttp://me:hunter2@host/\r\n');
  const cast = `{"version":3,"term":{"cols":60,"rows":4}}\n[0.5,"o",${output}]\n`;
  writeFileSync(join(place.directory, 'one.cast'), cast);
  await place.ok('redact', 'one.cast', '-o', 'two.cast');
  expect(readFileSync(join(place.directory, 'two.cast'), 'utf8')).not.toContain('hunter2');
});

const passwordScript = `
  printf 'name? '; read name
  stty -echo; printf 'password? '; read -r password; stty echo
  printf 'again? '; read last; echo "end $last"; exec cat`;

it.each([
  ['record start --input', [], (place: Place) => place.ok('record', 'start', 'one', '--input')],
  ['spawn --record-input', ['--record-input'], async () => ''],
])('[S3.33] %s records what is typed, but no password', async (_, flags, start) => {
  const place = new Place();
  await place.ok('spawn', 'one', ...flags, '--', 'sh', '-c', passwordScript);
  await place.sees('one', 'name?');
  await start(place);
  await place.ok('send', 'one', 'Ann');
  // The program may turn the echo off before it is known that it was on: then this is left out.
  await place.ok('key', 'one', 'enter', '--wait', 'password\\?');
  await place.ok('send', 'one', 'swordfish', '-e', '--wait', 'again\\?');
  const [{ file } = { file: '' }] = await listed(place);
  const typed = () =>
    parseCast(readFileSync(file)).events.flatMap((event) =>
      event.type === 'input' ? [event.text] : [],
    );
  await expect.poll(() => markersOf(file)).toContain('vtr: input left out');
  const { pid } = await place.json('serve', '--status');
  process.kill(pid, 'SIGKILL');
  await place.ok('send', 'one', `é ${token}`, '-e', '--wait', 'end');
  await place.ok('send', 'one', 'more\nlines', '--wait', 'more');
  await place.ok('record', 'stop', 'one');
  expect(typed().join('')).toMatch(/^Ann\r?é ghp_•{36}\rmore\n$/);
  expect(readFileSync(file, 'utf8')).not.toContain('swordfish');
  expect(markersOf(file)).toContain('agent: vtr send');
});

it('[S3.33] record = "files" records each session', async () => {
  const place = new Place();
  writeFileSync(join(place.directory, 'server.toml'), 'record = "files"\n');
  await place.vtr(['serve', '--daemon', '--config', 'server.toml']);
  await place.ok('spawn', 'one', '--', 'cat');
  expect(await listed(place)).toMatchObject([{ session: 'one', state: 'on' }]);
  expect((await place.json('info', 'one')).recording).toMatchObject({ state: 'on' });
});

it('spawn --record records a session that is reused, once', async () => {
  const place = new Place();
  await place.ok('spawn', 'one', '--', 'cat');
  for (let time = 0; time < 2; time++) {
    await place.ok('spawn', 'one', '--reuse', '--record', '--', 'cat');
    expect(await listed(place)).toMatchObject([{ session: 'one', state: 'on' }]);
  }
});

/** Records a session for a moment, and returns what is listed of it. */
async function recordedOnce(place: Place): Promise<Listed | undefined> {
  await place.ok('spawn', 'one', '--', 'cat');
  await place.ok('record', 'start', 'one');
  await place.ok('record', 'stop', 'one');
  return (await listed(place))[0];
}

describe('vtr record stop', () => {
  it('[S3.33] prints the file, which is complete', async () => {
    const place = new Place();
    const { file = '' } = (await recordedOnce(place)) ?? {};
    expect(parseCast(readFileSync(file)).cutBytes).toBeUndefined();
    const again = await place.result(['record', 'stop', 'one']);
    expect(again).toMatchObject({
      status: 4,
      stderr: expect.stringContaining('not being recorded'),
    });
  });
});

describe('vtr record ls', () => {
  it('[S3.33] lists the recordings in files with their state and size', async () => {
    const place = new Place();
    const recording = await recordedOnce(place);
    expect(recording).toMatchObject({
      state: 'ended',
      bytes: readFileSync(recording?.file ?? '').length,
    });
    const [head, row] = (await place.ok('record', 'ls')).split('\n');
    expect(head).toMatch(/^ID +NAME +SESSION +STATE +SIZE +FILE$/);
    expect(row).toMatch(/^\d{8}-\d{6}-[0-9a-f]{6} +- +one +ended +1 kB +\//);
  });
});

describe('vtr record rename', () => {
  it('[S3.33] names a recording, which is played, listed and removed by that name', async () => {
    const place = new Place();
    const { id = '', file = '' } = (await recordedOnce(place)) ?? {};
    await place.ok('record', 'rename', id, 'first');
    expect(await listed(place)).toMatchObject([{ id, name: 'first', file }]);
    const text = await place.ok('export', 'first', '--format', 'txt', '-o', '-');
    expect(text).toBe(await place.ok('export', id, '--format', 'txt', '-o', '-'));
    await place.ok('record', 'rename', 'first', 'second');
    // Also one that is on, whose name stays when it ends and when the daemon is replaced.
    await place.ok('record', 'start', 'one');
    const running = (await listed(place)).find(({ state }) => state === 'on')?.id ?? '';
    await place.ok('record', 'rename', running, 'now');
    await place.vtr(['serve', '--restart']);
    await place.ok('record', 'stop', 'one');
    expect(await listed(place)).toMatchObject([
      { name: 'second' },
      { id: running, name: 'now', state: 'ended', ended_at: expect.stringMatching(/^\d{4}-/) },
    ]);
    for (const [words, status, problem] of [
      [[running, 'second'], 2, `the recording ${id} is called "second"`],
      [[running, id], 2, `the recording ${id} is called`],
      [[running, 'a b'], 2, 'use 1 to 64 characters'],
      [[running, 'a.cast'], 2, 'no .cast at the end'],
      [['first', 'third'], 4, 'vtr record ls prints them'],
    ] as const) {
      const refused = await place.result(['record', 'rename', ...words]);
      expect(refused).toMatchObject({ status, stderr: expect.stringContaining(problem) });
    }
    await place.ok('record', 'rename', running, 'now');
    await place.ok('record', 'rm', 'second');
    expect(await listed(place)).toMatchObject([{ name: 'now' }]);
    expect(existsSync(file)).toBe(false);
  });
});

describe('vtr record rm', () => {
  it('[S3.33] removes a recording that has ended, and its file', async () => {
    const place = new Place();
    const { id = '', file = '' } = (await recordedOnce(place)) ?? {};
    await place.ok('record', 'rm', id);
    expect([await listed(place), existsSync(file)]).toEqual([[], false]);
    await place.ok('record', 'start', 'one');
    const [running] = await listed(place);
    const refused = await place.result(['record', 'rm', running?.id ?? '']);
    expect(refused).toMatchObject({ status: 2, stderr: expect.stringContaining('stop it first') });
  });
});

describe('vtr redact', () => {
  it('[S3.33] writes a recording without secrets, and nothing if one stays on the screen', async () => {
    const place = new Place();
    const cast = (output: string) =>
      `{"version":3,"term":{"cols":60,"rows":4}}\n[0.5,"o",${JSON.stringify(output)}]\n`;
    writeFileSync(join(place.directory, 'one.cast'), cast(`token ${token}`));
    await place.ok('redact', 'one.cast', '-o', 'two.cast');
    const text = readFileSync(join(place.directory, 'two.cast'), 'utf8');
    expect(text).toMatch(/•{36}/);
    expect(text).not.toContain(token.slice(4));
    writeFileSync(join(place.directory, 'drawn.cast'), cast('\x1b[1;6Hfish\x1b[1;1Hsword'));
    const words = ['drawn.cast', '-o', 'three.cast', '--secret', 'swordfish'];
    const refused = await place.vtr(['redact', ...words]);
    expect(refused).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('at 0.500 s, row 0'),
    });
    expect(existsSync(join(place.directory, 'three.cast'))).toBe(false);
  });
});

it('record tells what is wrong', async () => {
  const place = new Place();
  await place.ok('spawn', 'one', '--', 'cat');
  for (const [words, status, problem] of [
    [['start', 'one', '-o', 'missing/x.cast'], 10, 'ENOENT'],
    [['start', 'one', '-o', '-'], 2, 'vtr record save SESSION -o -'],
    [['start', 'one', '--format', 'raw'], 2, 'use one of v3, v2'],
    [['start', 'two'], 4, 'not found'],
    [['stop', 'one'], 4, 'not being recorded'],
    [['rm', 'x'], 4, 'no recording has the id or name "x"; vtr record ls prints them'],
  ] as const) {
    const result = await place.result(['record', ...words]);
    expect(result, words.join(' ')).toMatchObject({
      status,
      stderr: expect.stringContaining(problem),
    });
  }
});
