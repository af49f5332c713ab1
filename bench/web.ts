import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { type Browser, chromium, type Page } from 'playwright-core';
import { type Coordinator, connect } from 'vtr';
import type { Benchmark } from './benchmark.ts';
import { Daemon } from './measuring/daemon.ts';
import type { LocalProxy } from './measuring/local-proxy.ts';
import { cpuSeconds } from './measuring/process-cost.ts';
import { openSlowLine } from './measuring/slow-line.ts';
import { median, percentile } from './measuring/statistics.ts';
import type { Target } from './reporting/report.ts';
import { EchoPage } from './tasks/echo-page.ts';
import { EchoSession } from './tasks/echo-session.ts';
import { type ReconnectTimes, reconnectTimes } from './tasks/reconnects.ts';
import { SlowPage } from './tasks/slow-page.ts';

const browsers = ['chromium', 'chromium-headless-shell', 'google-chrome'];

const tileCount = 50;
/** 1 Mbit/s. */
const slowBytesPerSecond = 125_000;
const keyPauseMs = 30;

/** Repaints 10 rows ten times a second. */
const repaint = `$| = 1;
for ($n = 0; ; $n++) {
  print join "", map { "\\e[$_;1Hrow $_ of a busy program: $n" } 1..10;
  select undef, undef, undef, 0.1;
}`;

/** Notes in the page when a key was pressed, and when the text of an element changed after it. */
const watchKeys = (selector: string) => `
  globalThis.keyTimes = [];
  let pressed = 0;
  addEventListener('keydown', () => { pressed = performance.now(); }, true);
  new MutationObserver(() => {
    if (pressed > 0) keyTimes.push(performance.now() - pressed);
    pressed = 0;
  }).observe(document.querySelector('${selector}'), {
    childList: true, subtree: true, characterData: true,
  });
`;

/** Counts in the page the frames in which tiles are painted, and the paintings of each tile. */
const watchTiles = `
  globalThis.paints = new Map();
  globalThis.frames = new Set();
  let frame = 0;
  const count = () => { frame++; requestAnimationFrame(count); };
  requestAnimationFrame(count);
  const original = CanvasRenderingContext2D.prototype.fillRect;
  const last = new Map();
  CanvasRenderingContext2D.prototype.fillRect = function (...rect) {
    frames.add(frame);
    if (last.get(this.canvas) !== frame) {
      last.set(this.canvas, frame);
      paints.set(this.canvas, (paints.get(this.canvas) ?? 0) + 1);
    }
    return original.apply(this, rect);
  };
`;

/** The web page in a browser without a window. */
export const web: Benchmark = async ({ quick, progress }) => {
  const program =
    process.env['VTR_CHROMIUM'] ??
    (process.env['PATH'] ?? '')
      .split(delimiter)
      .flatMap((directory) => browsers.map((name) => join(directory, name)))
      .find((path) => existsSync(path));
  if (program === undefined) throw new Error('the benchmark web needs chromium');
  const daemon = new Daemon('', true);
  try {
    return reportOf(await measure(program, daemon, quick, progress));
  } finally {
    daemon.stop();
  }
};

async function measure(
  program: string,
  daemon: Daemon,
  quick: boolean,
  progress: (line: string) => void,
): Promise<Measured> {
  const coordinator = await connect({ socket: daemon.socket });
  const browser = await chromium.launch({ executablePath: program, args: ['--no-sandbox'] });
  try {
    const { url, port } = JSON.parse(daemon.run('web', '--port', '0', '--json'));
    const page = await openPage(browser, url);
    const origin = new URL(url).origin;
    progress('web: keys');
    const keys = await keyTimes(browser, page, coordinator, origin, quick ? 1 : 5);
    progress('web: a session with 10,000 lines');
    const joins = await joinTimes(page, daemon, coordinator, origin, quick ? 1 : 15);
    progress('web: tiles');
    const tiles = await tileRates(page, daemon, coordinator, origin, quick ? 1 : 15);
    progress('web: keys on a slow line');
    const line = await openSlowLine(port, slowBytesPerSecond);
    const slow = await slowKeyTimes(browser, daemon, line, quick ? 5 : 300);
    line.close();
    progress('web: lost connections');
    for (const { name } of await coordinator.list())
      await coordinator.remove(name, { force: true });
    const reconnects = await reconnectTimes(program, daemon, coordinator, quick ? 1 : 5);
    return { keys, joins, tiles, slow, reconnects };
  } finally {
    await browser.close();
    await coordinator.close();
  }
}

async function openPage(browser: Browser, url: string): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1600, height: 3_000 } });
  const page = await context.newPage();
  await page.goto(url);
  await page.locator('main').waitFor();
  return page;
}

/** Keys of one round. */
const roundKeys = 60;

interface Keys {
  /** From the event of a key to the change of the text in the page, in ms. */
  readonly times: readonly number[];
  /** The same in a page that only sends a key to a process, which sends it back. */
  readonly control: readonly number[];
}

/** Both pages take turns, so that both see the same load of the machine. */
async function keyTimes(
  browser: Browser,
  page: Page,
  coordinator: Coordinator,
  origin: string,
  rounds: number,
): Promise<Keys> {
  await coordinator.spawn({ name: 'keys', program: 'cat' });
  await page.goto(`${origin}/#/s/keys`);
  await page.locator('.keys').focus();
  await page.keyboard.press('Enter');
  await delay(1_000);
  await page.evaluate(watchKeys('[data-terminal] .screen'));
  const echo = await EchoPage.open();
  const bare = await browser.newPage();
  try {
    await bare.goto(echo.url);
    await bare.locator('[data-open]').waitFor({ state: 'attached' });
    await bare.evaluate(watchKeys('main'));
    for (let round = 0; round < rounds; round++) {
      for (const each of [page, bare]) {
        await each.bringToFront();
        for (let key = 0; key < roundKeys; key++) {
          await each.keyboard.press(key % 40 === 39 ? 'Enter' : 'x');
          await delay(keyPauseMs);
        }
      }
    }
    const control = (await bare.evaluate('keyTimes')) as number[];
    return { times: (await page.evaluate('keyTimes')) as number[], control };
  } finally {
    await bare.close();
    echo.close();
    await page.bringToFront();
  }
}

interface Joins {
  /** Until the screen is shown, in ms. */
  readonly times: readonly number[];
  /** p99 of an echo of another session meanwhile, and without joins, in ms. */
  readonly echo: { readonly joining: number; readonly alone: number };
  /** The longest pause of the daemon meanwhile in which it used CPU time, in ms. */
  readonly pauseMs: number;
}

async function joinTimes(
  page: Page,
  daemon: Daemon,
  coordinator: Coordinator,
  origin: string,
  rounds: number,
): Promise<Joins> {
  const args = ['-c', 'seq -f "line %g of a long output that a person reads back" 10000; exec cat'];
  await coordinator.spawn({ name: 'long', program: 'sh', args });
  await coordinator.wait('long', { screen: ['line 10000 '] });
  const echo = await EchoSession.start(coordinator);
  const echoes = async (until: () => boolean) => {
    const times: number[] = [];
    while (!until()) {
      times.push(await echo.roundTripMs());
      await delay(2);
    }
    return percentile(times, 0.99);
  };
  const begin = performance.now();
  const alone = await echoes(() => performance.now() - begin > 1_000);
  let isOver = false;
  const joining = echoes(() => isOver);
  const times: number[] = [];
  const { longestOwnMs: pauseMs } = await daemon.loopDelays(async () => {
    for (let round = 0; round < rounds; round++) {
      await page.goto(`${origin}/#/`);
      await page.locator('.tiles').first().waitFor();
      times.push((await page.evaluate(joinLong)) as number);
    }
  });
  isOver = true;
  return { times, echo: { joining: await joining, alone }, pauseMs };
}

const joinLong = `new Promise((resolve) => {
  const begin = performance.now();
  const check = () => {
    const rows = [...document.querySelectorAll('[data-row]')];
    if (rows.some((row) => row.textContent.startsWith('line 10000 '))) {
      observer.disconnect();
      resolve(performance.now() - begin);
    }
  };
  const observer = new MutationObserver(check);
  observer.observe(document.body, { childList: true, subtree: true });
  location.hash = '#/s/long';
})`;

interface Tiles {
  readonly framesPerSecond: number;
  readonly slowestPerSecond: number;
  /** CPU time of the daemon and its PTY host, as a share of one core. */
  readonly cpuShare: number;
}

async function tileRates(
  page: Page,
  daemon: Daemon,
  coordinator: Coordinator,
  origin: string,
  seconds: number,
): Promise<Tiles> {
  for (const { name } of await coordinator.list()) await coordinator.remove(name, { force: true });
  for (let session = 0; session < tileCount; session++) {
    await coordinator.spawn({ name: `busy-${session}`, program: 'perl', args: ['-e', repaint] });
  }
  await page.goto(`${origin}/#/`);
  await delay(3_000);
  await page.evaluate(watchTiles);
  const { pid, hostPid } = daemon.status();
  const cpu = () => [pid, hostPid].reduce((sum: number, each) => sum + cpuSeconds(each), 0);
  const [before, begin] = [cpu(), performance.now()];
  await page.evaluate('paints.clear(); frames.clear();');
  await delay(1_000 * seconds);
  const [frames, counts] = (await page.evaluate('[frames.size, [...paints.values()]]')) as [
    number,
    number[],
  ];
  const gone = (performance.now() - begin) / 1_000;
  return {
    framesPerSecond: frames / gone,
    slowestPerSecond: counts.length < tileCount ? 0 : Math.min(...counts) / gone,
    cpuShare: (cpu() - before) / gone,
  };
}

/**
 * The times from a key to its glyph while the frames of all tiles come over the same slow line, in ms: the
 * grid and the terminal in one page.
 */
async function slowKeyTimes(
  browser: Browser,
  daemon: Daemon,
  line: LocalProxy,
  count: number,
): Promise<number[]> {
  daemon.run('spawn', 'keys', '--', 'cat');
  const { url } = JSON.parse(daemon.run('web', '--json'));
  const address = new URL(url);
  const context = await browser.newContext({ viewport: { width: 1600, height: 3_000 } });
  const page = await context.newPage();
  // The server knows its own port only.
  await page.goto(url);
  await page.locator('.tiles').first().waitFor();
  await page.close();
  const cookies = await context.cookies();
  const header = cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
  const slow = await SlowPage.open(line.port, address.origin, header);
  const times: number[] = [];
  await slow.watchAll();
  await delay(3_000);
  for (let key = 0; key < count; key++) {
    times.push(await slow.keyMs('keys'));
    await delay(keyPauseMs);
  }
  slow.close();
  await context.close();
  return times;
}

interface Measured {
  readonly keys: Keys;
  readonly joins: Joins;
  readonly tiles: Tiles;
  readonly slow: readonly number[];
  readonly reconnects: ReconnectTimes;
}

function reportOf({ keys, joins, tiles, slow, reconnects }: Measured) {
  const [cut, sleep, restart] = [reconnects.cut, reconnects.sleep, reconnects.restart].map((all) =>
    Math.max(...all),
  ) as [number, number, number];
  const { echo } = joins;
  return {
    name: 'web',
    title: 'The web page',
    notes: [
      'The page in headless Chromium on the same machine. Key: from the event of the key in the page ' +
        'to the change of the row that shows its echo, with `cat`; 300 keys, at least 30 ms apart. The control, in ' +
        'turns with it, is a bare page that sends each key over a WebSocket to a Node.js process, which sends it back. Join: ' +
        'from the grid to the screen of a session with 10,000 lines, fifteen times; meanwhile ' +
        'another client measures the echo of a byte over the socket. Pause of the daemon: the longest ' +
        'delay of a timer of 1 ms in it, counting only the part in which the daemon used CPU time; in ' +
        'the rest, other processes had the processor.',
      'Tiles: 50 sessions repaint 10 rows ten times a second each, all tiles in view. CPU time is that of ' +
        'the daemon and the PTY host. Slow line: a client of the page’s protocol, with the frames of all 50 ' +
        'tiles, behind a proxy that sends 1 Mbit/s: from the call with a key to the event with its echo.',
      'Lost connections: a session prints 50 times a second; the figure is how long the page shows ' +
        'nothing new of it, the longest of five tries. Sleep: the connections stay open and stop passing ' +
        'data; the time begins with the event by which the browser reports that it woke up. Restart: the ' +
        'time begins with `vtr serve --restart`.',
    ],
    tables: [
      {
        columns: ['', 'measured'],
        rows: [
          ['key p50, ms', percentile(keys.times, 0.5)],
          ['key p99, ms', percentile(keys.times, 0.99)],
          ['key p50 of the control, ms', percentile(keys.control, 0.5)],
          ['key p99 of the control, ms', percentile(keys.control, 0.99)],
          ['join of 10,000 lines, median, ms', median(joins.times)],
          ['echo p99 while pages join, ms', echo.joining],
          ['echo p99 without, ms', echo.alone],
          ['longest pause of the daemon while pages join, own CPU, ms', joins.pauseMs],
          ['50 tiles: frames of the page that paint, per s', tiles.framesPerSecond],
          ['50 tiles: the least frames of a tile, per s', tiles.slowestPerSecond],
          ['50 tiles: daemon and PTY host, % of a core', 100 * tiles.cpuShare],
          ['key on a slow line p50, ms', percentile(slow, 0.5)],
          ['key on a slow line p99, ms', percentile(slow, 0.99)],
          ['nothing new after a closed connection, ms', cut],
          ['nothing new after a sleep, ms', sleep],
          ['nothing new while the daemon restarts, ms', restart],
        ],
      },
    ],
    targets: [
      target('key p50, ms', 'at most', 3, percentile(keys.times, 0.5)),
      target(
        'key p50 : control',
        'at most',
        5,
        percentile(keys.times, 0.5) / percentile(keys.control, 0.5),
      ),
      target('join of 10,000 lines, median, ms', 'at most', 100, median(joins.times)),
      target(
        'longest pause of the daemon while pages join, own CPU, ms',
        'at most',
        5,
        joins.pauseMs,
      ),
      target('50 tiles: frames of the page, per s', 'at least', 30, tiles.framesPerSecond),
      target('50 tiles: the least of a tile, per s', 'at least', 5, tiles.slowestPerSecond),
      target('50 tiles: % of a core', 'at most', 25, 100 * tiles.cpuShare),
      target('key on a slow line p99, ms', 'at most', 50, percentile(slow, 0.99)),
      target('nothing new after a closed connection, ms', 'at most', 1_000, cut),
      target('nothing new after a sleep, ms', 'at most', 1_000, sleep),
      target('nothing new while the daemon restarts, ms', 'at most', 1_000, restart),
    ],
  };
}

const target = (what: string, bound: Target['bound'], limit: number, measured: number): Target => ({
  what,
  bound,
  goal: limit,
  next: limit,
  measured,
});
