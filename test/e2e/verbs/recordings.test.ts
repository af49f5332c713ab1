import { execFileSync } from 'node:child_process';
import { lstatSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { LocalCoordinator } from '#coordinator';
import { CastEncoder, type CastVersion, type RecordedEvent } from '#recording';
import { Place, vtrFile } from '../../support/command/vtr-command.ts';
import { AttachedTerminal } from '../../support/tui/attached-terminal.ts';

const outputAt = (atMs: number, text: string): RecordedEvent => ({ atMs, type: 'output', text });

function castOf(events: readonly RecordedEvent[], version: CastVersion = 3): string {
  const encoder = new CastEncoder(version);
  const header = encoder.header({ size: { cols: 40, rows: 5 }, startedAtMs: 1_800_000_000_000 });
  return header + events.map((event) => encoder.event(event)).join('');
}

const build: readonly RecordedEvent[] = [
  outputAt(0, '$ make\r\n'),
  outputAt(1_000, '\x1b[31mred\x1b[m\r\n'),
  { atMs: 2_000, type: 'marker', label: 'test' },
  outputAt(2_000, '$ make test\r\n'),
  ...Array.from({ length: 9 }, (_, index) => outputAt(3_000 + index, `test ${index}\r\n`)),
  { atMs: 3_500, type: 'resize', size: { cols: 60, rows: 6 } },
  { atMs: 4_000, type: 'exit', status: 2 },
];

function placeWith(files: Readonly<Record<string, string | Uint8Array>>): Place {
  const place = new Place();
  for (const [name, data] of Object.entries(files)) {
    writeFileSync(join(place.directory, name), data);
  }
  return place;
}

describe('vtr play', () => {
  it('plays a recording, is controlled by keys, and leaves the terminal as it was', async () => {
    const place = placeWith({ 'x.cast': castOf(build) });
    const player = await AttachedTerminal.start(place, [
      'play',
      'x.cast',
      '--hold',
      '--speed',
      '9',
    ]);
    await player.sees('^ ended +0:04 / 0:04');
    await player.keys('[');
    await player.sees('^ paused +0:02 / 0:04 .* test');
    await player.sees('^\\$ make test');
    await player.keys('/');
    await player.types('test 7');
    await player.keys('enter');
    await player.sees('^test 7');
    await player.keys('q');
    expect(await player.end()).toMatchObject({ status: { code: 0 }, leftModes: [] });

    const whole = await AttachedTerminal.start(place, ['play', 'x.cast', '--idle', '0.01']);
    expect(await whole.end()).toMatchObject({ status: { code: 0 }, leftModes: [] });
    const killed = await AttachedTerminal.start(place, ['play', 'x.cast', '--hold']);
    await killed.sees('0:04');
    killed.signal('SIGTERM');
    expect(await killed.end()).toMatchObject({ status: { code: 143 }, leftModes: [] });
  });

  it('lets nothing but cells of a hostile recording reach the terminal', async () => {
    const attacks = [
      ...['\x1b]52;c;UFdORUQ=\x07', '\x1b]2;PWNED\x07', '\x1b]0;PWNED\x1b\\', '\x1bPPWNED\x1b\\'],
      ...['\x1b]8;;https://PWNED\x07link\x1b]8;;\x07', '\x1b_PWNED\x1b\\', '\x1b]9;PWNED\x07'],
      ...['\x1b]1337;PWNED\x07', '\x1b[6n\x1b[c\x1b[21t\x1b]10;?\x07', '\x1b[?1003h\x1b[?1049l'],
    ];
    const harmless = castOf([outputAt(0, 'seen'), outputAt(200, '')]);
    const place = placeWith({
      'harmless.cast': harmless,
      'hostile.cast': castOf([outputAt(0, `${attacks.join('')}seen`), outputAt(200, '')]),
    });
    const coordinator = new LocalCoordinator();
    const written = async (name: string) => {
      const play = [process.execPath, vtrFile, 'play', `${name}.cast`];
      await coordinator.spawn({
        name,
        program: 'sh',
        args: ['-c', 'read go; exec "$@"', 'sh', ...play],
        cwd: place.directory,
        env: { ...place.env, TERM: 'xterm-kitty' },
      });
      const events = await coordinator.subscribe(name);
      await coordinator.sendKeys(name, ['enter']);
      let output = '';
      for await (const event of events) {
        if (event.type === 'output') output += Buffer.from(event.bytes).toString('latin1');
      }
      return output;
    };
    const [usual, attacked] = [await written('harmless'), await written('hostile')];
    expect(usual).toContain('seen');
    expect(attacked).toContain('seen');
    expect(attacked).not.toMatch(/PWNED|UFdORUQ/);
    // The same control strings, queries and modes: those with which the player itself begins and ends.
    const controls = (text: string) =>
      text.match(/\x1b(?:[\]P_^X][^\x07\x1b]*|\[[?>=][^@-~]*[@-~]|\[[0-9;]*[cnt])/g);
    expect(new Set(controls(attacked))).toEqual(new Set(controls(usual)));
    await coordinator.close();
  });

  it('prints the screens into a pipe at once', async () => {
    const place = placeWith({ 'x.cast': castOf([...build, outputAt(9_000_000, 'late')]) });
    const all = await place.ok('play', 'x.cast');
    expect(
      all.startsWith('--- 0.000 s\n$ make\n--- 1.000 s\n$ make\nred\n--- 2.000 s  test\n'),
    ).toBe(true);
    expect(all.endsWith('test 6\ntest 7\ntest 8\nlate\n')).toBe(true);
    expect(await place.ok('play', 'x.cast', '--from', 'marker:test')).toMatch(
      /^--- 2\.000 s {2}test\n/,
    );
    expect(await place.ok('play', 'x.cast', '--from', '1h')).toMatch(/^--- 3600\.000 s\n/);
  });

  it.each([
    [['x.cast', '--from', 'marker:tset'], 4, /no marker "tset"; did you mean "test"\?/],
    [['x.cast', '--from', '99'], 4, /99 is after the end of the recording, at 4\.000 s/],
    [['x.cast', '--from', 'soon'], 2, /"soon" is not a time; use seconds/],
    [['x.cast', '--speed', '0'], 2, /--speed 0: use a number from 0\.01/],
    [['x.cast', '--idle', '0'], 2, /--idle 0: use seconds/],
    [['x.cast', '--coordinator', 'a'], 2, /x\.cast is a file; --coordinator is for a session/],
    [['absent.cast'], 10, /absent\.cast cannot be read: there is no such file/],
    [['./'], 10, /\.\/ cannot be read: EISDIR/],
    [['absent'], 4, /there is no file absent; .*absent/],
    [
      ['other.cast'],
      2,
      /other\.cast: this is not an asciicast: its first line is not an object of JSON/,
    ],
  ])('vtr play %j is refused', async (words, code, message) => {
    const place = placeWith({ 'x.cast': castOf(build), 'other.cast': 'no recording\n' });
    const { status, stdout, stderr } = await place.vtr(['play', ...words]);
    expect([status, stdout]).toEqual([code, '']);
    expect(stderr).toMatch(message);
  });

  it('plays a recording up to a line that is not valid, and says which', async () => {
    const head = '{"version":2,"width":0,"height":0}';
    const lines = [head, '[0.1,"o","good"]', '[0.2,"o",7]', '[0.3,"o","late"]'];
    const place = placeWith({ 'x.cast': `${lines.join('\n')}\n` });
    const { status, stdout, stderr } = await place.vtr(['play', 'x.cast']);
    expect([status, stdout]).toEqual([0, '--- 0.100 s\ngood\n']);
    expect(stderr).toMatch(/line 3 of x\.cast is not valid: .*; it and what follows are left out/);
  });
});

describe('vtr export', () => {
  const read = (place: Place, name: string) => readFileSync(join(place.directory, name), 'utf8');

  it('writes all lines, with colours, and as asciicast 2 and 3', async () => {
    const place = placeWith({ 'x.cast.gz': gzipSync(castOf(build)) });
    const tests = Array.from({ length: 9 }, (_, index) => `test ${index}\n`).join('');
    await place.ok('export', 'x.cast.gz', '-o', 'x.txt');
    expect(read(place, 'x.txt')).toBe(`$ make\nred\n$ make test\n${tests}`);
    expect(statSync(join(place.directory, 'x.txt')).mode & 0o777).toBe(0o600);
    await place.ok('export', 'x.cast.gz', '-o', 'x.ansi');
    expect(read(place, 'x.ansi')).toContain('\n\x1b[0;31mred\x1b[m\n');
    await place.ok('export', 'x.cast.gz', '-o', 'x.cast');
    expect(read(place, 'x.cast')).toBe(castOf(build));
    const asTwo = await place.ok('export', 'x.cast', '-o', '-', '--format', 'v2');
    expect(asTwo).toBe(castOf(build, 2));
    await place.ok('export', 'x.cast', '-o', 'y.cast.gz');
    expect(await place.ok('export', 'y.cast.gz', '-o', '-')).toBe(castOf(build));
  });

  it('selects by time and marker, and begins with the screen as it was', async () => {
    const place = placeWith({ 'x.cast': castOf(build) });
    const select = (range: string, format: string) =>
      place.ok('export', 'x.cast', '-o', '-', '--format', format, '--select', range);
    expect(await select('..1s', 'txt')).toBe('$ make\nred\n');
    expect(await select('marker:test..3', 'txt')).toBe('$ make test\ntest 0\n');
    expect(await select('2.5..3.001', 'txt')).toBe('test 0\ntest 1\n');
    const [header = '', first = '', ...rest] = (await select('1.5..marker:test', 'cast')).split(
      '\n',
    );
    expect(JSON.parse(header)).toMatchObject({
      timestamp: 1_800_000_001,
      term: { cols: 40, rows: 5 },
    });
    expect(JSON.parse(first).slice(0, 2)).toEqual([0, 'o']);
    expect(JSON.parse(first)[2]).toContain('red');
    expect(rest).toEqual(['[0.500, "m", "test"]', '[0.000, "o", "$ make test\\r\\n"]', '']);
    const later = await select('3.6..', 'cast');
    expect(JSON.parse(later.split('\n')[0] ?? '').term).toEqual({ cols: 60, rows: 6 });
    expect(later.endsWith('\n[0.400, "x", "2"]\n')).toBe(true);
  });

  it('writes what happened in a session, and vtr play shows it', async () => {
    const place = new Place();
    await place.ok(
      'spawn',
      'work',
      '--',
      'sh',
      '-c',
      'printf "\\033[31mred\\033[m\\n"; read x; echo got $x; exec cat',
    );
    await place.ok('send', 'work', 'typed', '--enter', '--wait', '^got typed');
    await place.ok('export', 'work', '-o', 'x.cast');
    expect(read(place, 'x.cast')).toContain('"version":3');
    expect(await place.ok('export', 'work', '-o', '-', '--format', 'txt')).toBe(
      'red\ntyped\ngot typed\n',
    );
    expect(await place.ok('play', 'work')).toMatch(
      /^--- \d+\.\d{3} s(?: .*)?\n(?:.*\n)*red\ntyped\ngot typed\n$/,
    );
    // A file of the name of a session is the file.
    writeFileSync(join(place.directory, 'work'), castOf(build));
    expect(await place.ok('export', 'work', '-o', '-', '--format', 'txt')).toMatch(/^\$ make\n/);
    const inSession = ['--coordinator', 'default', '--format', 'txt', '-o', '-'];
    expect(await place.ok('export', 'work', ...inSession)).toMatch(/^red\n/);
  });

  it('overwrites nothing without --force, and reads what a killed recorder left', async () => {
    const place = placeWith({ 'x.cast': `${castOf(build)}[0.5, "o", "to`, 'x.txt': 'mine' });
    const refused = await place.vtr(['export', 'x.cast', '-o', 'x.txt']);
    expect([refused.status, refused.stderr]).toEqual([
      2,
      'vtr: x.txt exists; --force overwrites it\n',
    ]);
    expect(read(place, 'x.txt')).toBe('mine');
    const { status, stderr } = await place.vtr(['export', 'x.cast', '-o', 'x.txt', '--force']);
    expect([status, stderr]).toEqual([
      0,
      'vtr: x.cast ends within a line, which is left out (14 bytes)\n',
    ]);
    expect(read(place, 'x.txt')).toMatch(/^\$ make\nred\n/);
    const whole = gzipSync(castOf(build));
    writeFileSync(join(place.directory, 'cut.cast.gz'), whole.subarray(0, whole.length - 9));
    expect(await place.ok('export', 'cut.cast.gz', '-o', '-', '--select', '..1')).toContain('red');
  });

  it('writes to a device and to a pipe without --force', async () => {
    const place = placeWith({ 'x.cast': castOf(build) });
    const to = (path: string) =>
      place.vtr(['export', 'x.cast', '-o', path, '--format', 'txt', '--select', '..1']);
    expect(await to('/dev/null')).toMatchObject({ status: 0, stderr: '' });
    expect(statSync('/dev/null').isCharacterDevice()).toBe(true);
    const pipe = join(place.directory, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const reading = readFile(pipe, 'utf8');
    expect(await to('pipe')).toMatchObject({ status: 0, stderr: '' });
    expect(await reading).toContain('red\n');
    expect(lstatSync(pipe).isFIFO()).toBe(true);
  });

  it.each([
    [['x.cast'], 2, /name the file to write with -o FILE/],
    [
      ['x.cast', '-o', 'x.mov'],
      2,
      /x\.mov has none of the suffixes .*: \.cast, \.cast\.gz, \.txt, \.ansi/,
    ],
    [['x.cast', '-o', 'no/such/x.txt'], 10, /no\/such\/x\.txt cannot be written: .*ENOENT/],
    [['x.cast', '-o', '.'], 2, /\. is a directory; name a file in it/],
    [['x.cast', '-o', '-', '--select', '5s'], 2, /"5s" is not FROM\.\.TO/],
    [['x.cast', '-o', '-', '--select', '3..marker:test'], 2, /3 is after marker:test/],
  ])('vtr export %j is refused', async (words, code, message) => {
    const place = placeWith({ 'x.cast': castOf(build) });
    const { status, stdout, stderr } = await place.vtr(['export', ...words]);
    expect([status, stdout]).toEqual([code, '']);
    expect(stderr).toMatch(message);
  });
});
