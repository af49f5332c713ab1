import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Benchmark, BenchmarkOptions } from './benchmark.ts';
import { compare } from './measuring/compare.ts';
import { geometricMean, median, medianRatio } from './measuring/statistics.ts';
import { type PayloadName, payload } from './payloads/index.ts';
import type { Headline, Report } from './reporting/report.ts';

const payloads: readonly PayloadName[] = [
  'ASCII log',
  'recorded TUI',
  'truecolor log',
  'dense SGR',
  'CJK and emoji',
];
const size = { cols: 80, rows: 24 };
const megabyte = 1e6;
const lastLine = 'the end of the payload';

/** MB/s of elapsed time. */
interface Rates {
  readonly payload: PayloadName;
  readonly vtr: number;
  /** vtr with the terminal in a process of its own. */
  readonly hosted: number;
  /** hosted : vtr */
  readonly gain: number;
  /** A process on Node.js that reads the output and drops it. */
  readonly bare: number;
  /** Null without tmux; then the ratio is null too. */
  readonly tmux: number | null;
  readonly ratio: number | null;
  /** hosted : tmux */
  readonly hostedRatio: number | null;
  /** bare : tmux, which no program on Node.js can exceed */
  readonly bareRatio: number | null;
}

/** `cat` of a payload in a session, compared with tmux. */
export const endToEnd: Benchmark = async (options) => {
  const tmuxVersion = versionOfTmux();
  if (tmuxVersion === null)
    options.progress('end-to-end: tmux is missing; nothing to compare with');
  const directory = mkdtempSync(join(tmpdir(), 'vtr-bench-'));
  const rates: Rates[] = [];
  try {
    for (const name of payloads) {
      options.progress(`end-to-end: ${name}`);
      rates.push(await measure(name, directory, tmuxVersion !== null, options));
    }
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
  return reportOf(rates, tmuxVersion);
};

async function measure(
  name: PayloadName,
  directory: string,
  hasTmux: boolean,
  { quick }: BenchmarkOptions,
): Promise<Rates> {
  const file = join(directory, 'payload');
  const bytes = writePayload(name, file, quick ? 64_000 : 16 * megabyte);
  // Which program runs on which processor makes rounds differ by a third: seven were too few to compare two builds.
  const effort = { rounds: quick ? 1 : 15, secondsPerRound: quick ? 0 : 0.3 };
  // With echo, the answers to queries in a recording would be mixed with the output.
  const script = `stty -echo; exec cat ${file}`;
  const session = { task: 'session output', script, size, lastLine } as const;
  const ours = {
    vtr: { ...session, hasHost: false },
    hosted: { ...session, hasHost: true },
    bare: { task: 'bare output', script, size },
  } as const;
  const costs: { vtr: number[]; hosted: number[]; bare: number[]; tmux?: number[] } = hasTmux
    ? await compare({ tmux: { task: 'tmux output', script, size }, ...ours }, effort)
    : await compare(ours, effort);
  const rate = (seconds: number[]) => bytes / megabyte / median(seconds);
  const { vtr, hosted, bare, tmux } = costs;
  return {
    payload: name,
    vtr: rate(vtr),
    hosted: rate(hosted),
    gain: medianRatio(vtr, hosted),
    bare: rate(bare),
    tmux: tmux === undefined ? null : rate(tmux),
    ratio: tmux === undefined ? null : medianRatio(tmux, vtr),
    hostedRatio: tmux === undefined ? null : medianRatio(tmux, hosted),
    bareRatio: tmux === undefined ? null : medianRatio(tmux, bare),
  };
}

/** The terminal changes LF to CR LF, so the file contains the output of a program before that. */
function writePayload(name: PayloadName, file: string, length: number): number {
  const text = payload(name, size, length).toString('utf8').replaceAll('\r\n', '\n');
  const bytes = Buffer.from(`${text}\x1bc${lastLine}\n`);
  writeFileSync(file, bytes);
  return bytes.length;
}

/** @returns null when tmux does not start */
function versionOfTmux(): string | null {
  const { status, stdout } = spawnSync('tmux', ['-V'], { encoding: 'utf8' });
  return status === 0 ? stdout.trim() : null;
}

const headline = (how: string, ratios: readonly number[], against: string): Headline => ({
  what: `a program’s output to the screen, ${how}`,
  against,
  ratio: geometricMean(ratios),
  of: 'time',
});

function reportOf(rates: readonly Rates[], tmuxVersion: string | null): Report {
  const ratios = rates.flatMap(({ ratio }) => ratio ?? []);
  const hosted = rates.flatMap(({ hostedRatio }) => hostedRatio ?? []);
  const ascii = ratios[payloads.indexOf('ASCII log')];
  return {
    name: 'end-to-end',
    title: 'End to end: a program’s output to the screen',
    notes: [
      'MB/s of wall-clock time for `cat payload` (16 MB, with line feeds that the terminal ' +
        'converts to CR LF) at 80x24 with 10,000 lines of scrollback. vtr: from `spawn` to the ' +
        'exit event, which follows the last byte; then the screen is checked. tmux: from ' +
        '`new-session` to the message that the window is closed, which tmux sends after it has ' +
        'read all output; a separate server, no configuration, in control mode. PTY host: vtr with ' +
        'the terminal in a process of its own (`vtr-ptyd`), and the options of Node.js with which a ' +
        'daemon is started. Reader: a process on Node.js that reads ' +
        'the output as vtr does, and drops it: its ratio to tmux is the most that a ' +
        'terminal on Node.js can reach. Medians of fifteen interleaved rounds.',
      tmuxVersion === null ? 'tmux was not found.' : `Compared with ${tmuxVersion}.`,
    ],
    tables: [
      {
        columns: [
          ...['payload', 'vtr', 'PTY host', 'tmux', 'reader'],
          ...['vtr : tmux', 'host : tmux', 'reader : tmux', 'host : vtr'],
        ],
        rows: rates.map((each) => [
          ...[each.payload, each.vtr, each.hosted, each.tmux, each.bare],
          ...[each.ratio, each.hostedRatio, each.bareRatio, each.gain],
        ]),
      },
    ],
    headlines:
      tmuxVersion === null
        ? []
        : [
            headline('in process', ratios, tmuxVersion),
            headline('with the PTY host', hosted, tmuxVersion),
          ],
    targets:
      ascii === undefined
        ? []
        : [
            {
              what: 'vtr : tmux, geometric mean',
              bound: 'at least',
              goal: 1.8,
              next: 2.2,
              measured: geometricMean(ratios),
            },
            {
              what: 'vtr : tmux, ASCII log',
              bound: 'at least',
              goal: 1,
              next: 1.1,
              measured: ascii,
            },
            {
              what: 'vtr with a PTY host : tmux, geometric mean',
              bound: 'at least',
              goal: null,
              next: 3.2,
              measured: geometricMean(hosted),
            },
            {
              what: 'vtr with a PTY host : tmux, ASCII log',
              bound: 'at least',
              goal: null,
              next: 1.5,
              measured: hosted[payloads.indexOf('ASCII log')] ?? 0,
            },
            {
              what: 'vtr : tmux, minimum',
              bound: 'at least',
              goal: null,
              next: 1.1,
              measured: Math.min(...ratios),
            },
          ],
  };
}
