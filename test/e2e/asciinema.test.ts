import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { LocalCoordinator } from '#coordinator';
import { CastEncoder, type CastVersion, parseCast, type RecordedEvent } from '#recording';
import { Replay } from '#replay';
import { Terminal } from '#vt';
import { Place } from '../support/command/vtr-command.ts';
import { needs } from '../support/run/needs.ts';
import { expectSameTerminal } from '../support/vt/same-terminal.ts';

// What other tools make of our recordings.

const outputAt = (atMs: number, text: string): RecordedEvent => ({ atMs, type: 'output', text });

const events: readonly RecordedEvent[] = [
  outputAt(0, '\x1b[1m$ make\x1b[m \\"quoted\\"\r\n'),
  { atMs: 100.4, type: 'input', text: 'x' },
  { atMs: 500.4, type: 'marker', label: 'make: "all"' },
  { atMs: 500.4, type: 'note', note: { cmd: 1, exit: 0 } },
  outputAt(1_000.4, '漢字 👩‍👩‍👧 ─┘\r\n'),
  { atMs: 1_500.4, type: 'resize', size: { cols: 50, rows: 6 } },
  ...Array.from({ length: 1_000 }, (_, index) => outputAt(2_000.4 + index * 0.4, `${index}\r\n`)),
  { atMs: 3_000, type: 'marker', label: 'end' },
  { atMs: 4_000, type: 'exit', status: 3 },
];
const first = { cols: 40, rows: 8 };

function castOf(version: CastVersion): string {
  const encoder = new CastEncoder(version);
  const header = encoder.header({ size: first, title: 'make', env: { TERM: 'xterm' } });
  return header + events.map((event) => encoder.event(event)).join('');
}

/** The part of asciinema-player that needs no page: it parses, and says what is to be shown. */
interface PlayerCore {
  init(): Promise<void>;
  terminalReady(): void;
  seek(where: string): Promise<unknown>;
  addEventListener(name: string, listener: (data: never) => void): void;
}

async function playerOf(cast: string): Promise<PlayerCore> {
  const entry = fileURLToPath(import.meta.resolve('asciinema-player'));
  const [, core = ''] = /'\.\/(core-[^']+\.js)'/.exec(readFileSync(entry, 'utf8')) ?? [];
  const { C: Core } = await import(pathToFileURL(join(dirname(entry), core)).href);
  const url = `data:application/x-asciicast;base64,${Buffer.from(cast).toString('base64')}`;
  const ignore = () => {};
  const logger = { debug: ignore, info: ignore, warn: ignore, error: ignore };
  return new Core({ driver: 'recording', url }, { logger, speed: 1, preload: true });
}

it.each([2, 3] as const)(
  "asciinema's player shows what a recording in version %i shows here",
  async (version) => {
    const cast = castOf(version);
    const player = await playerOf(cast);
    let terminal = new Terminal({ size: first });
    const values: Record<string, unknown> = {};
    player.addEventListener('metadata', (data: object) => Object.assign(values, data));
    player.addEventListener('reset', ({ size }: { size: { cols: number; rows: number } }) => {
      values['size'] = size;
      terminal = new Terminal({ size, scrollback: { maxLines: 1_000, maxBytes: 1 << 20 } });
    });
    player.addEventListener('output', (texts: string | readonly string[]) => {
      terminal.feed(Buffer.from([texts].flat().join('')));
    });
    player.addEventListener('resize', (size: { cols: number; rows: number }) =>
      terminal.resize(size),
    );
    player.terminalReady();
    await player.init();
    const { size, duration, markers } = values as {
      size: object;
      duration: number;
      markers: [number, string][];
    };
    expect(size).toEqual(first);
    expect(duration).toBeCloseTo(version === 3 ? 4 : 3, 2);
    expect(markers.map(([, label]) => label)).toEqual(['make: "all"', 'end']);
    expect(markers[0]?.[0]).toBeCloseTo(0.5, 2);
    await player.seek('100%');
    const replay = new Replay(parseCast(Buffer.from(cast)));
    expect(terminal.size).toEqual({ cols: 50, rows: 6 });
    expectSameTerminal(terminal, replay.at(replay.durationMs));
  },
);

needs('asciinema')('asciinema 2 prints what a recording in version 2 prints', async () => {
  const place = new Place();
  writeFileSync(join(place.directory, 'x.cast'), castOf(3));
  await place.ok('export', 'x.cast', '-o', 'old.cast', '--format', 'v2');
  const coordinator = new LocalCoordinator();
  onTestFinished(() => coordinator.close());
  await coordinator.spawn({
    name: 'old',
    program: 'sh',
    cwd: place.directory,
    args: ['-c', 'asciinema cat old.cast > printed'],
    // It needs UTF-8, and a HOME for the id of its user.
    env: { HOME: place.directory, LANG: 'C.UTF-8', LC_ALL: 'C.UTF-8' },
  });
  expect((await coordinator.wait('old')).exitStatus).toEqual({ code: 0, signal: null });
  const printed = readFileSync(join(place.directory, 'printed'), 'utf8');
  const outputs = events.flatMap((event) => (event.type === 'output' ? [event.text] : []));
  expect(printed).toBe(outputs.join(''));
});

needs('asciinema')('a recording of asciinema 2 is read', async () => {
  const place = new Place();
  const env = { ...process.env, HOME: place.directory, LANG: 'C.UTF-8', LC_ALL: 'C.UTF-8' };
  const file = join(place.directory, 'x.cast');
  execFileSync('asciinema', ['rec', '-q', '-t', 'sample', '-c', 'echo 漢字', file], { env });
  expect(await place.ok('export', 'x.cast', '-o', '-', '--format', 'txt')).toBe('漢字\n');
});
