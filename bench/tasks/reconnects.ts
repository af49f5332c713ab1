import { setTimeout as delay } from 'node:timers/promises';
import { chromium } from 'playwright-core';
import type { Coordinator } from 'vtr';
import { CutLine } from '../measuring/cut-line.ts';
import type { Daemon } from '../measuring/daemon.ts';

export interface ReconnectTimes {
  /** After each connection was closed, in ms. */
  readonly cut: readonly number[];
  /** From the wake-up on, after connections were lost without notice, in ms. */
  readonly sleep: readonly number[];
  /** From the beginning of `vtr serve --restart` on, in ms: the old daemon serves some of that time. */
  readonly restart: readonly number[];
}

/** Prints another number 50 times a second. */
const counter = `$| = 1; for ($n = 0; ; $n++) { print "\\e[1;1Hnumber $n "; select undef, undef, undef, 0.02; }`;

/** Notes in the page when the text changes. */
const watchText = `
  globalThis.changes = [];
  new MutationObserver(() => changes.push(performance.now())).observe(
    document.querySelector('[data-terminal] .screen'),
    { childList: true, subtree: true, characterData: true },
  );
`;
/** The time before the first change counts, and the time after the last one. */
const beginChanges = 'changes.splice(0, changes.length, performance.now())';
/** The page is told as by a browser whose machine woke up. */
const wake = `globalThis.begin = performance.now(); dispatchEvent(new Event('online'));`;
const longestPause = `
  Math.max(...[...changes, performance.now()].map((at, index) => at - changes[Math.max(0, index - 1)]))
`;
const pauseAfterBegin = `(changes.find((at) => at > begin) ?? Infinity) - begin`;
/** Longer than a page may need, in ms. */
const settledMs = 3_000;
const asleepMs = 500;

/** For how long a page shows nothing new, each time that it loses its connection. */
export async function reconnectTimes(
  program: string,
  daemon: Daemon,
  coordinator: Coordinator,
  rounds: number,
): Promise<ReconnectTimes> {
  const { url, port } = JSON.parse(daemon.run('web', '--port', '0', '--json'));
  const line = await CutLine.open(port);
  const rule = `MAP 127.0.0.1:${port} 127.0.0.1:${line.port}`;
  const args = ['--no-sandbox', `--host-resolver-rules=${rule}`];
  const browser = await chromium.launch({ executablePath: program, args });
  try {
    await coordinator.spawn({ name: 'counter', program: 'perl', args: ['-e', counter] });
    const page = await browser.newPage();
    await page.goto(url);
    await page.goto(`${new URL(url).origin}/#/s/counter`);
    await page.locator('[data-row="0"]', { hasText: 'number' }).waitFor();
    await page.evaluate(watchText);
    const pauses = async (lose: () => unknown, result = longestPause) => {
      const times: number[] = [];
      for (let round = 0; round < rounds; round++) {
        await delay(settledMs);
        await page.evaluate(beginChanges);
        await lose();
        await delay(settledMs);
        times.push((await page.evaluate(result)) as number);
      }
      return times;
    };
    const cut = await pauses(() => line.cut());
    const sleep = await pauses(async () => {
      line.hang();
      await delay(asleepMs);
      await page.evaluate(wake);
    }, pauseAfterBegin);
    return { cut, sleep, restart: await pauses(() => daemon.restart()) };
  } finally {
    await browser.close();
    line.close();
    await coordinator.remove('counter', { force: true });
  }
}
