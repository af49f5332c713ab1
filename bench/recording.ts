import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Benchmark } from './benchmark.ts';
import { runnerOf } from './measuring/measured-process.ts';
import { median, medianRatio } from './measuring/statistics.ts';
import { payload } from './payloads/index.ts';
import type { Report } from './reporting/report.ts';
import type { TaskRequest } from './tasks/index.ts';
import type { LatencyCost } from './tasks/latency.ts';
import type { RecordedOutputCost } from './tasks/recorded-output.ts';
import type { RecordingKind, RecordingRequest } from './tasks/recording-kinds.ts';

const kinds: readonly RecordingKind[] = ['off', 'memory', 'file', 'file, secrets kept'];
const megabyte = 1e6;
/** Writes a file in parts, every 10 ms, at 10 MB/s. */
const pacedMs = 10;
const pacedBytes = 100_000;
const paced = `
  const bytes = require('node:fs').readFileSync(process.argv[1]);
  let at = 0;
  const timer = setInterval(() => {
    process.stdout.write(bytes.subarray(at, (at += ${pacedBytes})));
    if (at >= bytes.length) clearInterval(timer);
  }, ${pacedMs});
`;

/** The figures of one round. */
interface Sample {
  /** CPU time of the coordinator at 10 MB/s, in percent of a core. */
  readonly cpu: number;
  /** MB/s of `cat`. */
  readonly rate: number;
  readonly echoP50Ms: number;
  readonly echoP99Ms: number;
}

/** What recording costs: processor time, throughput and time of an echo. */
export const recording: Benchmark = async ({ quick, progress }) => {
  const directory = mkdtempSync(join(tmpdir(), 'vtr-bench-'));
  const file = join(directory, 'payload');
  const text = payload('ASCII log', { cols: 80, rows: 24 }, quick ? 64_000 : 10 * megabyte);
  writeFileSync(file, text.toString('utf8').replaceAll('\r\n', '\n'));
  const samples = new Map(kinds.map((kind): [RecordingKind, Sample[]] => [kind, []]));
  try {
    const rounds = quick ? 1 : 5;
    for (let round = 0; round < rounds; round++) {
      progress(`recording: round ${round + 1} of ${rounds}`);
      const first = round % kinds.length;
      for (const kind of [...kinds.slice(first), ...kinds.slice(0, first)]) {
        samples.get(kind)?.push(await measure({ kind, directory }, file, text.length, quick));
      }
    }
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
  return reportOf(samples);
};

async function measure(
  recorded: RecordingRequest,
  file: string,
  bytes: number,
  isQuick: boolean,
): Promise<Sample> {
  const task = { task: 'recorded output', recording: recorded } as const;
  const slowly = { ...task, program: process.execPath, args: ['-e', paced, file] };
  const fully = { ...task, program: 'cat', args: [file] };
  const alone = { task: 'latency', floods: 0, bare: false, hasHost: true } as const;
  const echoed = { ...alone, recording: recorded };
  const slow = await measuredOnce<RecordedOutputCost>(slowly, 1, isQuick);
  const fast = await measuredOnce<RecordedOutputCost>(fully, 1, isQuick);
  const echo = await measuredOnce<LatencyCost>(echoed, isQuick ? 5 : 500, isQuick);
  return {
    cpu: (100 * slow.cpuSeconds) / slow.seconds,
    rate: bytes / megabyte / fast.seconds,
    echoP50Ms: echo.echoP50Ms,
    echoP99Ms: echo.echoP99Ms,
  };
}

/** Measures in a process of its own, the second time if that is to be accurate. */
async function measuredOnce<Cost>(
  request: TaskRequest,
  passes: number,
  isQuick: boolean,
): Promise<Cost> {
  const measured = runnerOf<Cost>(request, isQuick);
  try {
    if (!isQuick) await measured.round(passes);
    return await measured.round(passes);
  } finally {
    await measured.stop();
  }
}

function reportOf(samples: ReadonlyMap<RecordingKind, readonly Sample[]>): Report {
  const of = (kind: RecordingKind, what: keyof Sample) =>
    (samples.get(kind) ?? []).map((sample) => sample[what]);
  const cost = (kind: RecordingKind) =>
    median(of(kind, 'cpu').map((cpu, round) => cpu - (of('off', 'cpu')[round] ?? Number.NaN)));
  const share = (kind: RecordingKind) => medianRatio(of(kind, 'rate'), of('off', 'rate'));
  return {
    name: 'recording',
    title: 'Recording',
    notes: [
      'What a session costs without a recording, with that in memory (the default), and with one in ' +
        'a file, too, in which secrets are replaced or kept. At 10 MB/s: a program writes 10 MB of ' +
        'an ASCII log, 100 KB every 10 ms; CPU time of the coordinator, of all threads, in percent of ' +
        'a core. `cat`: the same 10 MB at full speed, from `spawn` to the exit ' +
        'event. Echo: as in the section on latency. The terminals are in a process of their own. ' +
        'Medians of five interleaved rounds, in new processes, each warmed up by a first time.',
    ],
    tables: [
      {
        columns: [
          'recording',
          'CPU at 10 MB/s, %',
          'above off, %',
          '`cat`, MB/s',
          ': off',
          'echo p50, ms',
          'echo p99, ms',
        ],
        rows: kinds.map((kind) => [
          kind,
          ...[median(of(kind, 'cpu')), cost(kind), median(of(kind, 'rate')), share(kind)],
          ...[median(of(kind, 'echoP50Ms')), median(of(kind, 'echoP99Ms'))],
        ]),
      },
    ],
    targets: [
      {
        what: 'CPU of the recording in memory at 10 MB/s, % of a core',
        bound: 'at most',
        goal: null,
        next: 3,
        measured: cost('memory'),
      },
      {
        what: 'CPU of a file at 10 MB/s, % of a core',
        bound: 'at most',
        goal: null,
        next: 3,
        measured: cost('file'),
      },
      {
        what: '`cat` with the recording in memory : off',
        bound: 'at least',
        goal: null,
        next: 0.97,
        measured: share('memory'),
      },
    ],
  };
}
