import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { allowedMs, report } from '../support/command/measured-daemon.ts';
import { exitOf, served } from '../support/command/running-daemon.ts';
import { Place } from '../support/command/vtr-command.ts';
import { ptyHostOf } from '../support/pty/process-facts.ts';
import { testProgram } from '../support/pty/pty-request.ts';
import { shortened } from '../support/run/durations.ts';

const kills = shortened(10, 2);

/** The last time that a program printed, in ms. */
const lastTime = (text: string) => Number(/.*t(\d{13})\n/s.exec(text)?.[1] ?? Number.NaN);

describe('a PTY host that is killed while a program prints', () => {
  it.each([
    ['alone', 200],
    ['with the daemon', 1_000],
  ])('%s: the session is kept with all but its last output', async (what, promisedMs) => {
    let mostLostMs = 0;
    for (let kill = 0; kill < kills; kill++) {
      const place = new Place();
      const daemon = await served(place);
      const host = ptyHostOf(daemon.pid ?? 0) ?? 0;
      const file = join(place.directory, 'printed');
      const program = [process.execPath, testProgram('print-times.mjs'), file];
      await place.ok('spawn', 'work', '--', ...program);
      await place.sees('work', 't');
      await delay(1_500 + ((kill * 613) % 1_000));
      if (what === 'with the daemon') daemon.kill('SIGKILL');
      process.kill(host, 'SIGKILL');
      if (what === 'with the daemon') {
        await exitOf(daemon);
        await served(place);
      }
      const lost = { status: 'exited', ended_by: { reason: 'host_lost' } };
      await expect.poll(() => place.json('info', 'work'), { timeout: 30_000 }).toMatchObject(lost);
      const { stdout } = await place.vtr(['read', 'work', '--tail', '20']);
      // Both are times of the program itself.
      mostLostMs = Math.max(mostLostMs, lastTime(readFileSync(file, 'utf8')) - lastTime(stdout));
    }
    const boundMs = allowedMs(promisedMs);
    report({ kills, mostLostMs, boundMs });
    expect(mostLostMs).toBeLessThanOrEqual(boundMs);
  });
});
