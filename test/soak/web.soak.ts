import { setTimeout as delay } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { report } from '../support/command/measured-daemon.ts';
import { served } from '../support/command/running-daemon.ts';
import { Place } from '../support/command/vtr-command.ts';
import { shortened } from '../support/run/durations.ts';
import { inBrowser, openPage } from '../support/web/browser.ts';

/** A minute, unless the run is shortened. */
const minuteMs = shortened(60_000, 500);
/** The page has everything that it keeps, and its code is compiled. */
const firstMinute = 5;
const lastMinute = 20;
const tiles = 12;

/** Prints as fast as its terminal is read. */
const flood = `while (1) { print "line ", $n++, " of a flood\\n"; }`;
/** Repaints 10 rows ten times a second. */
const repaint = `$| = 1;
for ($n = 0; ; $n++) {
  print join "", map { "\\e[$_;1Hrow $_ of a busy program: $n" } 1..10;
  select undef, undef, undef, 0.1;
}`;

/** Returns the heap of a page after a collection, in MB. */
async function heapMb(page: Page): Promise<number> {
  const client = await page.context().newCDPSession(page);
  await client.send('HeapProfiler.collectGarbage');
  const { usedSize } = await client.send('Runtime.getHeapUsage');
  await client.detach();
  return usedSize / 1e6;
}

describe('pages of a session that floods, and of busy tiles', () => {
  inBrowser('grow by at most 1 MB between minutes 5 and 20', async () => {
    const place = new Place();
    await served(place);
    await place.ok('spawn', 'flood', '--', 'perl', '-e', flood);
    for (let tile = 0; tile < tiles; tile++) {
      await place.ok('spawn', `busy-${tile}`, '--', 'perl', '-e', repaint);
    }
    const [focus, grid] = [await openPage(place), await openPage(place)];
    await focus.show('#/s/flood');
    const last = async () => {
      const rows = await focus.rows();
      return Math.max(0, ...rows.map((row) => Number(/^line (\d+) of/.exec(row)?.[1] ?? 0)));
    };
    await expect.poll(last).toBeGreaterThan(0);
    const heaps: Record<string, number> = {};
    const begin = performance.now();
    for (let minute = 1; minute <= lastMinute; minute++) {
      await delay(begin + minute * minuteMs - performance.now());
      heaps[`focus${minute}Mb`] = await heapMb(focus.page);
      heaps[`grid${minute}Mb`] = await heapMb(grid.page);
    }
    const lines = await last();
    const some = [1, firstMinute, 10, lastMinute].flatMap((minute) => [
      `focus${minute}Mb`,
      `grid${minute}Mb`,
    ]);
    report({ ...Object.fromEntries(some.map((name) => [name, heaps[name] ?? 0])), lines });
    // The flood was shown until the end.
    await expect.poll(last).toBeGreaterThan(lines);
    for (const page of ['focus', 'grid']) {
      const of = (minute: number) => heaps[`${page}${minute}Mb`] ?? Number.NaN;
      expect(of(lastMinute) - of(firstMinute)).toBeLessThanOrEqual(1);
    }
    expect([...focus.problems, ...grid.problems]).toEqual([]);
  });
});
