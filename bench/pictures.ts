import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CastEncoder, type Recording } from '#recording';
import type { Benchmark, BenchmarkOptions } from './benchmark.ts';
import { compare } from './measuring/compare.ts';
import { MeasuredProcess } from './measuring/measured-process.ts';
import { median } from './measuring/statistics.ts';
import { type RecordedName, recorded } from './payloads/recorded.ts';
import { repositoryRoot } from './repository-root.ts';
import { type PictureCost, type PictureRequest, PictureTask } from './tasks/picture.ts';

const rounds = 5;
const formats = ['gif', 'apng', 'svg'] as const;
const large = { cols: 120, rows: 40 };
const small = { cols: 80, rows: 24 };

interface Measured {
  readonly ms: number;
  readonly bytes: number;
}

interface Row {
  readonly what: string;
  readonly recording: RecordedName;
  readonly size: typeof large;
}

const rows: readonly Row[] = [
  { what: 'shell, 80x24', recording: 'shell', size: small },
  { what: 'shell, 120x40', recording: 'shell', size: large },
  { what: 'scrolling, 80x24', recording: 'scrolling', size: small },
  { what: 'scrolling, 120x40', recording: 'scrolling', size: large },
];

/** The time that pictures take, and their sizes. */
export const pictures: Benchmark = async (options) => {
  const png = await measure({ format: 'png', recording: 'shell', size: large }, options);
  const verb = await measureVerb(options);
  const animations: (readonly [Row, readonly Measured[]])[] = [];
  for (const row of rows) {
    options.progress(`pictures: ${row.what}`);
    const measured: Measured[] = [];
    for (const format of formats) measured.push(await measure({ format, ...row }, options));
    animations.push([row, measured]);
  }
  const gifMs = (what: string) =>
    animations.find(([row]) => row.what === what)?.[1][0]?.ms ?? Number.NaN;
  const gifTarget = (what: string) => ({
    what: `GIF of 10 s, ${what}, ms`,
    bound: 'at most' as const,
    goal: 2_000,
    next: 1_000,
    measured: gifMs(what),
  });
  return {
    name: 'pictures',
    title: 'Pictures',
    notes: [
      'Elapsed time in ms, and sizes in KB; medians of five rounds, in a process that has made one ' +
        'picture before. PNG: a coloured log on 120x40 cells, 1200x800 pixels, from the state of a ' +
        'session; `vtr export` from the start of the process to its end, with its start of Node.js, ' +
        'of which `node -e 0` is a part.',
      'Animations: recordings of 10 s. shell: 20 keys a second, and five commands with five lines of ' +
        'output each. scrolling: all rows change 30 times a second, in true colours, which is as much ' +
        'as a recording can ask for. A second thread encodes GIF; threads of zlib compress APNG.',
    ],
    tables: [
      {
        columns: ['PNG, 120x40', 'ms', 'KB'],
        rows: [
          ['in process', png.ms, png.bytes / 1000],
          ['vtr export', verb.vtrMs, png.bytes / 1000],
          ['node -e 0', verb.nodeMs, null],
        ],
      },
      {
        columns: ['10 s', ...formats.flatMap((each) => [`${each}, ms`, `${each}, KB`])],
        rows: animations.map(([{ what }, measured]) => [
          what,
          ...measured.flatMap(({ ms, bytes }) => [ms, bytes / 1000]),
        ]),
      },
    ],
    targets: [
      {
        what: 'PNG of 120x40, in process, ms',
        bound: 'at most',
        goal: 50,
        next: 25,
        measured: png.ms,
      },
      {
        what: 'PNG of 120x40, vtr export, ms',
        bound: 'at most',
        goal: 50,
        next: 50,
        measured: verb.vtrMs,
      },
      ...rows.map(({ what }) => gifTarget(what)),
    ],
  };
};

async function measure(
  picture: Omit<PictureRequest, 'task' | 'seconds'>,
  { quick }: BenchmarkOptions,
): Promise<Measured> {
  if (quick) {
    // In this process, and a short recording: it is quicker, only to check that it runs.
    const { seconds, bytes } = await new PictureTask({
      task: 'picture',
      ...picture,
      seconds: 0.1,
    }).round(1);
    return { ms: 1000 * seconds, bytes };
  }
  const process = new MeasuredProcess<PictureCost>({ task: 'picture', ...picture, seconds: 10 });
  try {
    const { bytes } = await process.round(1);
    const all: number[] = [];
    for (let round = 0; round < rounds; round++) all.push((await process.round(1)).seconds);
    return { ms: 1000 * median(all), bytes };
  } finally {
    await process.stop();
  }
}

/** A PNG by the command, and Node.js that does nothing. */
async function measureVerb({ quick, progress }: BenchmarkOptions) {
  progress('pictures: vtr export');
  const directory = mkdtempSync(join(tmpdir(), 'vtr-bench-'));
  try {
    const file = join(directory, 'log.cast');
    writeFileSync(file, castOf(recorded('shell', large, 10)));
    const vtr = [process.execPath, join(repositoryRoot, 'dist/vtr.cjs')] as const;
    const words = ['export', file, '-o', join(directory, 'log.png'), '--force'];
    const env = { XDG_STATE_HOME: directory, XDG_CACHE_HOME: directory };
    const costs = await compare(
      {
        node: { task: 'command', commands: [[process.execPath, '-e', '0']], env },
        vtr: { task: 'command', commands: [[...vtr, ...words]], env },
      },
      { rounds: quick ? 1 : 15, secondsPerRound: quick ? 0 : 0.3 },
    );
    return { nodeMs: 1000 * median(costs.node), vtrMs: 1000 * median(costs.vtr) };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function castOf({ header, events }: Recording): string {
  const encoder = new CastEncoder(3);
  return encoder.header(header) + events.map((event) => encoder.event(event)).join('');
}
