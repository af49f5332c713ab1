import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseCast } from '#recording';
import { Replay } from '#replay';
import { Place } from '../../support/command/vtr-command.ts';

/** A session that shows a first text, and a second one after a line of input. */
async function showingTwo(place: Place): Promise<void> {
  const script = 'stty -echo; printf first; read line; printf "\\033[2J\\033[Hsecond"; cat';
  await place.ok('spawn', 'one', '--', 'sh', '-c', script);
  await place.result(['wait', 'one', '--screen', 'first']);
}

describe('vtr record save', () => {
  it('[S3.33] saves what happened before, in a file that only its owner can read', async () => {
    const place = new Place();
    await showingTwo(place);
    await place.ok('send', 'one', 'x', '-e', '--wait', 'second');
    const file = join(place.directory, 'one.cast');
    const saved = await place.result(['record', 'save', 'one', '-o', 'one.cast']);
    expect(saved).toMatchObject({ status: 0, stdout: '' });
    expect(saved.stderr).toMatch(/^vtr: recorded since \S+Z \(.* ago\): the session began then\n$/);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const replay = new Replay(parseCast(readFileSync(file)));
    expect(replay.at(replay.durationMs).screenText()[0]).toBe('second');
    const again = await place.result(['record', 'save', 'one', '-o', 'one.cast']);
    expect(again).toMatchObject({ status: 2, stderr: expect.stringContaining('--force') });
    const forced = ['-o', 'one.cast', '--force', '--format', 'text'];
    expect((await place.result(['record', 'save', 'one', ...forced])).status).toBe(0);
    expect(readFileSync(file, 'utf8')).toBe('second\n');
    const text = await place.result(['record', 'save', 'one', '-o', '-', '--format', 'raw']);
    expect(text.stdout).toContain('\x1b[2J\x1b[Hsecond');
  });

  it('tells what is wrong, and leaves no file', async () => {
    const place = new Place();
    await showingTwo(place);
    for (const [words, status, problem] of [
      [['one'], 2, '-o FILE'],
      [['one', '-o', 'x', '--format', 'gif'], 2, 'use one of v3, v2, text, raw'],
      [['two', '-o', 'x'], 4, 'not found'],
      [
        ['one', '-o', 'missing/x'],
        10,
        'missing/x cannot be written: no such file or directory (ENOENT)',
      ],
    ] as const) {
      const saved = await place.result(['record', 'save', ...words]);
      expect(saved).toMatchObject({ status, stderr: expect.stringContaining(problem) });
    }
    expect(existsSync(join(place.directory, 'x'))).toBe(false);
  });

  it('begins again when the daemon is restarted, and looking back says so', async () => {
    const place = new Place();
    await showingTwo(place);
    expect((await place.vtr(['serve', '--restart'])).status).toBe(0);
    const earlier = await place.result(['screen', 'one', '--at', '-1h']);
    const since = /known from \S+Z on: its coordinator was restarted then/;
    expect(earlier).toMatchObject({ status: 4, stderr: expect.stringMatching(since) });
    const saved = await place.result(['record', 'save', 'one', '-o', 'one.cast']);
    expect(saved.stderr).toMatch(/: the coordinator was restarted then\n$/);
    const replay = new Replay(parseCast(readFileSync(join(place.directory, 'one.cast'))));
    expect(replay.at(0).screenText()[0]).toBe('first');
  });

  it('fails if recording is turned off', async () => {
    const place = new Place();
    const config = join(place.directory, 'server.toml');
    writeFileSync(config, 'recording_memory = 0\n');
    await place.vtr(['serve', '--daemon', '--config', config]);
    await showingTwo(place);
    const saved = await place.result(['record', 'save', 'one', '-o', '-']);
    const stderr = expect.stringContaining('set recording_memory in server.toml');
    expect(saved).toMatchObject({ status: 4, stderr });
    expect((await place.result(['screen', 'one', '--at', '-1s'])).status).toBe(4);
  });
});

describe('looking back', () => {
  it('shows the screen and the lines as they were, with the time', async () => {
    const place = new Place();
    await showingTwo(place);
    const between = new Date().toISOString();
    await place.ok('send', 'one', 'x', '-e', '--wait', 'second');
    expect((await place.result(['screen', 'one', '--plain'])).stdout).toBe('second\n');
    for (const form of ['--plain', '--ansi', '--frame']) {
      const then = await place.result(['screen', 'one', '--at', between, form]);
      expect(then).toMatchObject({ status: 0, stdout: expect.stringContaining('first') });
      expect(then.stderr).toMatch(/^vtr: as of \S+Z\n$/);
    }
    const screen = await place.json('screen', 'one', '--at', between);
    expect(screen).toMatchObject({ lines: expect.arrayContaining(['first']) });
    expect(Date.parse(String(screen['at']))).toBeLessThanOrEqual(Date.parse(between));
    expect((await place.result(['read', 'one', '--at', between])).stdout).toBe('first\n');
    expect((await place.result(['screen', 'one', '--at', '-0s'])).stdout).toBe('second\n');
  });

  it('says from when on the session is known', async () => {
    const place = new Place();
    await showingTwo(place);
    for (const [time, status, problem] of [
      ['-1d', 4, 'is not recorded; the session is known from'],
      ['marker:none', 4, 'no marker "none" is recorded'],
      ['30s', 2, 'use -30s'],
      ['24:10', 2, 'is not a time of day'],
    ] as const) {
      const screen = await place.result(['screen', 'one', '--at', time]);
      expect(screen).toMatchObject({ status, stderr: expect.stringContaining(problem) });
    }
  });
});

describe('vtr marker', () => {
  it('names a moment, at which the screen is shown and a part of a recording begins', async () => {
    const place = new Place();
    await showingTwo(place);
    await place.ok('marker', 'one', 'before');
    await place.ok('send', 'one', 'x', '-e', '--wait', 'second');
    const then = await place.result(['screen', 'one', '--at', 'marker:before']);
    expect(then).toMatchObject({ status: 0, stdout: expect.stringMatching(/^first/) });
    const unnamed = await place.result(['screen', 'one', '--at', 'marker:after']);
    expect(unnamed.status).not.toBe(0);
    expect(unnamed.stderr).toContain('after');
    await place.result(['record', 'save', 'one', '-o', 'one.cast']);
    const part = [
      'export',
      'one.cast',
      '-o',
      '-',
      '--format',
      'txt',
      '--select',
      'marker:before..',
    ];
    expect(await place.ok(...part)).toContain('second');
    expect((await place.result(['marker', 'two', 'x'])).status).toBe(4);
  });
});
