import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { type Coordinator, connect, type Publication } from 'vtr';
import { ignored } from '#base';
import type { Benchmark } from './benchmark.ts';
import { Daemon } from './measuring/daemon.ts';
import { MeasuredProcess } from './measuring/measured-process.ts';
import { OwnTerminal } from './measuring/own-terminal.ts';
import { median, percentile } from './measuring/statistics.ts';
import type { TimeCost } from './measuring/task.ts';
import type { Headline, Target } from './reporting/report.ts';
import { repositoryRoot } from './repository-root.ts';
import { EchoSession } from './tasks/echo-session.ts';

const small = { cols: 80, rows: 24 };
const large = { cols: 120, rows: 40 };
const node = process.execPath;
const vtr = join(repositoryRoot, 'dist/vtr.cjs');
const marker = 'the first frame';

/** Programs of sessions. */
const programs = {
  echo: ['sh', '-c', `echo ${marker}; exec cat`],
  lines: ['sh', '-c', "exec seq -f '%030.0f' 1 1000000000"],
  cells: [
    node,
    '-e',
    'let n = 33; const draw = () => { n = n > 120 ? 33 : n + 1; let s = "\\x1b[H"; ' +
      'for (let at = 0; at < 4800; at++) s += String.fromCharCode(33 + ((n + at * 7) % 90)); ' +
      'process.stdout.write(s); }; setInterval(draw, 16)',
  ],
} as const;
type Program = keyof typeof programs;

/** One way to see a program. */
interface Way {
  readonly name: 'vtr' | 'predicted' | 'tmux' | 'node';
  /** @param more environment variables of vtr */
  open(program: Program, more?: Readonly<Record<string, string>>): Promise<OwnTerminal>;
}

/** `vtr attach` and `vtr ui` for a person, and a daemon with many viewers. */
export const attach: Benchmark = async ({ quick, progress }) => {
  const daemon = new Daemon();
  const directory = mkdtempSync(join(tmpdir(), 'vtr-bench-'));
  const coordinator = await connect({ socket: daemon.socket });
  const ways: Way[] = [vtrWay(daemon, coordinator, directory), ...tmuxWays(directory)];
  if (ways.length === 1) progress('attach: tmux is missing; nothing to compare with');
  try {
    progress('attach: keys');
    const keys = new Map<string, number[]>();
    const keyWays = [...ways, predictedWay(ways, directory), nodeWay];
    for (const way of keyWays) keys.set(way.name, await keyTimes(way, quick ? 5 : 500, keyPauseMs));
    progress('attach: keys in quick succession');
    const quickKeys = new Map<string, number[]>();
    for (const way of ways) await typeMarker(way);
    for (const way of keyWays) {
      quickKeys.set(way.name, await keyTimes(way, quick ? 5 : 500, quickPauseMs));
    }
    progress('attach: first frames');
    const starts = await firstFrames(ways, quick ? 1 : 15);
    progress('attach: frames of floods');
    const seconds = quick ? 0.3 : 5;
    const lines = await frames(ways, 'lines', seconds);
    const cells = await frames(ways, 'cells', seconds);
    progress('attach: overview');
    const overview = await overviewShare(daemon, coordinator, directory, quick ? 5 : 50, seconds);
    progress('attach: viewers');
    const echo = await echoTimes(daemon, coordinator, quick);
    return reportOf({ keys, quickKeys, starts, lines, cells, overview, echo });
  } finally {
    await coordinator.close();
    daemon.stop();
    spawnSync('tmux', [...tmuxServer(directory), 'kill-server']);
    rmSync(directory, { recursive: true, force: true });
  }
};

function vtrWay(daemon: Daemon, coordinator: Coordinator, home: string): Way {
  const byProgram = new Map<Program, string>();
  return {
    name: 'vtr',
    async open(program, more = {}) {
      const [file = '', ...args] = programs[program];
      const size = program === 'echo' ? small : large;
      const name =
        byProgram.get(program) ?? (await coordinator.spawn({ program: file, args, size })).name;
      byProgram.set(program, name);
      const env = { VTR_SOCKET: daemon.socket, HOME: home, XDG_STATE_HOME: home, ...more };
      // The agent that typed last would drive: --take.
      return OwnTerminal.start(size, [node, vtr, 'attach', name, '--take'], env);
    },
  };
}

/** vtr as over a slow line: it shows what a key will do before its echo comes. */
function predictedWay([vtrItself]: readonly Way[], directory: string): Way {
  const home = join(directory, 'predicted');
  mkdirSync(join(home, 'vtr'), { recursive: true });
  writeFileSync(join(home, 'vtr/config.toml'), '[attach]\npredict = "always"\n');
  return {
    name: 'predicted',
    open(program) {
      if (vtrItself === undefined) throw new Error('there is no vtr');
      return vtrItself.open(program, { XDG_CONFIG_HOME: home });
    },
  };
}

/** The least that Node.js takes for a key: one process that echoes, and no session. */
const nodeWay: Way = {
  name: 'node',
  open() {
    const echo =
      `process.stdin.setRawMode(true); process.stdout.write('${marker}\\r\\n');` +
      "process.stdin.on('data', (keys) => process.stdout.write(keys));";
    return OwnTerminal.start(small, [node, '-e', echo]);
  },
};

const tmuxServer = (directory: string) => ['-S', join(directory, 'tmux'), '-f', '/dev/null'];

function tmuxWays(directory: string): Way[] {
  const tmux = (...words: readonly string[]) =>
    spawnSync('tmux', [...tmuxServer(directory), ...words]).status === 0;
  if (!tmux('-V')) return [];
  return [
    {
      name: 'tmux',
      async open(program) {
        const size = program === 'echo' ? small : large;
        const area = ['-x', String(size.cols), '-y', String(size.rows)];
        if (!tmux('has-session', '-t', program)) {
          tmux('new-session', '-d', '-s', program, ...area, ...programs[program]);
        }
        const words = ['tmux', ...tmuxServer(directory), 'attach', '-t', program];
        return OwnTerminal.start(size, words);
      },
    },
  ];
}

/** Characters that no control sequence of a frame contains. */
const typed = ['#', '%', '&', '+', '~'];
const keysPerLine = 40;
/** Longer than the time between two frames: a person types more slowly. */
const keyPauseMs = 30;
/** Somebody holds a key down, or a program types. */
const quickPauseMs = 3;

/** The times from a key to the output with its character, in ms. @param pauseMs after each */
async function keyTimes(way: Way, count: number, pauseMs: number): Promise<number[]> {
  // It shows the session into which vtr has typed.
  if (way.name === 'predicted') await typeMarker(way);
  const terminal = await way.open('echo');
  const times: number[] = [];
  try {
    await terminal.shows(marker);
    await delay(1_000);
    for (let key = 0; key < count; key++) {
      const char = typed[key % typed.length] as string;
      const begin = performance.now();
      const shown = terminal.prints(char);
      await terminal.write(char);
      times.push((await shown) - begin);
      await delay(pauseMs);
      if (key % keysPerLine !== keysPerLine - 1) continue;
      // The echo of a line, and cat's copy of it.
      await terminal.write('\r');
      await delay(100);
    }
    return times;
  } finally {
    await terminal.close();
  }
}

type Starts = ReadonlyMap<string, readonly number[]>;

/** The times from the start of a client to the first frame, and of an empty Node program, in ms. */
async function firstFrames(ways: readonly Way[], rounds: number): Promise<Starts> {
  const starts = new Map<string, number[]>([['node', []]]);
  for (const { name } of ways) starts.set(name, []);
  const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env;
  for (const way of ways) await typeMarker(way);
  for (let round = 0; round < rounds; round++) {
    const begin = performance.now();
    spawnSync(node, ['-e', '0'], { env });
    starts.get('node')?.push(performance.now() - begin);
    for (const way of ways) {
      const terminal = await way.open('echo');
      starts.get(way.name)?.push((await terminal.shows(marker)) - terminal.startedMs);
      await terminal.close();
    }
  }
  return starts;
}

/** Makes the screen of the session show the marker, which keys have scrolled away. */
async function typeMarker(way: Way): Promise<void> {
  const terminal = await way.open('echo');
  await delay(1_000);
  await terminal.write(`\r${marker}\r`);
  await terminal.shows(marker);
  await terminal.close();
}

/** Bytes to the terminal. Frames are those of mode 2026, which tmux 3.3 does not send. */
interface Frames {
  readonly medianBytes: number;
  readonly perSecond: number;
  readonly bytesPerSecond: ReadonlyMap<string, number>;
}

const frameBegins = '\x1b[?2026h';

async function frames(ways: readonly Way[], program: Program, seconds: number): Promise<Frames> {
  const bytesPerSecond = new Map<string, number>();
  let sizes: number[] = [];
  for (const way of ways) {
    const terminal = await way.open(program);
    await delay(1_500);
    const chunks: Uint8Array[] = [];
    const stop = terminal.onOutput((bytes) => chunks.push(bytes.slice()));
    await delay(1_000 * seconds);
    stop();
    await terminal.close();
    const output = Buffer.concat(chunks).toString('latin1');
    bytesPerSecond.set(way.name, output.length / seconds);
    if (way.name === 'vtr') {
      const whole = output.split(frameBegins).slice(1, -1);
      sizes = whole.map((frame) => frame.length + frameBegins.length);
    }
  }
  return { medianBytes: median(sizes), perSecond: sizes.length / seconds, bytesPerSecond };
}

const repaintsPerSecond = 10;

/** 10 rows with a number that changes. */
function repaint(count: number): Uint8Array {
  const rows = Array.from({ length: 10 }, (_, row) => `\x1b[${row + 1};1Hrow ${row} ${count}`);
  return Buffer.from(rows.join(''));
}

/** The share of a core that `vtr ui` uses while sessions repaint. */
async function overviewShare(
  daemon: Daemon,
  coordinator: Coordinator,
  home: string,
  count: number,
  seconds: number,
): Promise<number> {
  const all: Publication[] = [];
  for (let session = 0; session < count; session++) {
    all.push(await coordinator.publish({ name: `busy-${session}`, by: 'bench' }));
  }
  let painted = 0;
  const timer = setInterval(() => {
    painted++;
    for (const each of all) ignored(each.write(repaint(painted)), 'the benchmark may be over');
  }, 1_000 / repaintsPerSecond);
  const env = { VTR_SOCKET: daemon.socket, HOME: home, XDG_STATE_HOME: home };
  const terminal = await OwnTerminal.start(large, [node, vtr, 'ui'], env);
  try {
    await terminal.shows('busy-');
    await delay(2_000);
    const [cpu, begin] = [terminal.cpuSeconds(), performance.now()];
    await delay(2_000 * seconds);
    return (terminal.cpuSeconds() - cpu) / ((performance.now() - begin) / 1_000);
  } finally {
    clearInterval(timer);
    await terminal.close();
    await Promise.all(all.map((each) => coordinator.remove(each.session, { force: true })));
  }
}

/** p99 of an echo in ms, with and without viewers of another session. */
interface EchoTimes {
  readonly alone: number;
  readonly viewed: number;
}

const viewerCount = 50;
const echoRounds = 5;

async function echoTimes(
  daemon: Daemon,
  coordinator: Coordinator,
  quick: boolean,
): Promise<EchoTimes> {
  const busy = await coordinator.publish({ name: 'viewed', by: 'bench' });
  let painted = 0;
  const timer = setInterval(() => {
    ignored(busy.write(repaint(++painted)), 'the benchmark may be over');
  }, 1_000 / repaintsPerSecond);
  const echo = await EchoSession.start(coordinator);
  const rounds = quick ? 1 : echoRounds;
  const p99 = async () => {
    const times: number[] = [];
    for (let pass = 0; pass < (quick ? 5 : 400); pass++) {
      times.push(await echo.roundTripMs());
      await delay(2);
    }
    return percentile(times, 0.99);
  };
  const [alone, viewed]: [number[], number[]] = [[], []];
  try {
    await p99();
    for (let round = 0; round < rounds; round++) {
      alone.push(await p99());
      const request = { socket: daemon.socket, session: 'viewed', count: viewerCount };
      const viewers = new MeasuredProcess<TimeCost>({ task: 'viewers', ...request });
      await viewers.round(1);
      viewed.push(await p99());
      await viewers.stop();
    }
    return { alone: median(alone), viewed: median(viewed) };
  } finally {
    clearInterval(timer);
  }
}

type KeyTimes = ReadonlyMap<string, readonly number[]>;

interface Measured {
  readonly keys: KeyTimes;
  readonly quickKeys: KeyTimes;
  readonly starts: Starts;
  readonly lines: Frames;
  readonly cells: Frames;
  readonly overview: number;
  readonly echo: EchoTimes;
}

function reportOf({ keys, quickKeys, starts, lines, cells, overview, echo }: Measured) {
  const key = (name: string, share: number, all: KeyTimes = keys) => {
    const times = all.get(name);
    return times === undefined ? null : percentile(times, share);
  };
  const start = (name: string) => {
    const times = starts.get(name);
    return times === undefined ? null : median(times);
  };
  const startBound = 1.6 * (start('node') ?? 0) + 15;
  return {
    name: 'attach',
    title: 'People at a session: vtr attach and vtr ui',
    notes: [
      'Clients run in a pseudo-terminal of the benchmark, which answers their queries with vtr’s ' +
        'own engine. Key: from the write of one byte to the output with its character, which the ' +
        'terminal of `cat` echoes; 500 keys, 30 ms and 3 ms after the one before was shown; for comparison, ' +
        'one Node.js process that echoes, and vtr with predict = "always", which shows a key before its echo, as over ' +
        'a slow line. First frame: from the start of the ' +
        'client until the screen shows the text of the session, compared with `node -e 0`; medians of ' +
        'fifteen interleaved rounds. Floods: a session of 120x40 in which `seq` prints lines of 30 ' +
        'characters, and one in which a program changes every cell 60 times a second. ' +
        'tmux: a separate server, no configuration, `tmux attach`.',
      'Overview: CPU time of `vtr ui` while 50 sessions repaint 10 rows ten times a second each. Viewers: ' +
        'p99 of the echo of a byte over the socket, while 50 viewers in another process watch a ' +
        'session that repaints 10 rows ten times a second, and without them; medians of five ' +
        'interleaved rounds.',
    ],
    tables: [
      {
        columns: ['', 'vtr', 'tmux', 'Node.js alone'],
        rows: [
          ['key p50, ms', key('vtr', 0.5), key('tmux', 0.5), key('node', 0.5)],
          [
            'key p50, shown before its echo (predict = "always"), ms',
            key('predicted', 0.5),
            null,
            null,
          ],
          ['key p99, ms', key('vtr', 0.99), key('tmux', 0.99), key('node', 0.99)],
          [
            'keys 3 ms apart p50, ms',
            key('vtr', 0.5, quickKeys),
            key('tmux', 0.5, quickKeys),
            key('node', 0.5, quickKeys),
          ],
          ['first frame, ms', start('vtr'), start('tmux'), start('node')],
          ['flood of lines, KB/s', rate(lines, 'vtr'), rate(lines, 'tmux'), null],
          ['flood of cells, KB/s', rate(cells, 'vtr'), rate(cells, 'tmux'), null],
          ['flood of lines, frames/s', lines.perSecond, null, null],
          ['flood of cells, frames/s', cells.perSecond, null, null],
          ['echo p99 without viewers, ms', echo.alone, null, null],
          ['echo p99 with 50 viewers, ms', echo.viewed, null, null],
        ],
      },
    ],
    headlines: headlinesOf(key('vtr', 0.5), key('tmux', 0.5), lines),
    targets: [
      most(
        'key p50 : one Node.js process that echoes',
        5,
        ratio(key('vtr', 0.5), key('node', 0.5)),
      ),
      most('keys 3 ms apart p50, ms', 2.5, key('vtr', 0.5, quickKeys)),
      most('key p99, ms', 8, key('vtr', 0.99)),
      most('first frame : node -e 0', 2, ratio(start('vtr'), start('node'))),
      most('first frame : 1.6 × node + 15 ms', 1, (start('vtr') ?? Number.NaN) / startBound),
      most('frame of a flood of lines, median, KB', 1.5, lines.medianBytes / 1_000),
      most('frame with every cell new, median, KB', 5, cells.medianBytes / 1_000),
      most('vtr ui with 50 busy sessions, % of a core', 10, 100 * overview),
      most('echo p99 with 50 viewers : without', 1.5, echo.viewed / echo.alone),
    ],
  };
}

function headlinesOf(vtr: number | null, tmux: number | null, lines: Frames): Headline[] {
  if (vtr === null || tmux === null) return [];
  const against = 'tmux attach';
  const ratio = (rate(lines, 'tmux') ?? 0) / (rate(lines, 'vtr') ?? 0);
  return [
    { what: 'attached: from a key to its echo', against, ratio: tmux / vtr, of: 'time' },
    { what: 'attached: bytes sent for a flood of lines', against, ratio, of: 'size' },
  ];
}

const rate = ({ bytesPerSecond }: Frames, name: string): number | null => {
  const bytes = bytesPerSecond.get(name);
  return bytes === undefined ? null : bytes / 1_000;
};

const ratio = (one: number | null, other: number | null): number =>
  (one ?? Number.NaN) / (other ?? Number.NaN);

const most = (what: string, limit: number, measured: number | null): Target => ({
  what,
  bound: 'at most',
  goal: limit,
  next: limit,
  measured: measured ?? Number.NaN,
});
