import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { allowedMs, report } from '../support/command/measured-daemon.ts';
import { served } from '../support/command/running-daemon.ts';
import { Place } from '../support/command/vtr-command.ts';
import { isAlive, ptyHostsIn } from '../support/pty/process-facts.ts';
import { testProgram } from '../support/pty/pty-request.ts';
import { shortened } from '../support/run/durations.ts';

/** By then a daemon that serves has saved what was printed before, also without a daemon, in ms. */
const savedMs = 250;

/** The last time that a program printed, in ms. */
const lastTime = (text: string) => Number(/.*t(\d{13})\n/s.exec(text)?.[1] ?? Number.NaN);

interface Printing {
  readonly place: Place;
  /** The process that serves. */
  readonly daemon: number;
  /** The number of the kill, from 0. */
  readonly kill: number;
}

function killHost({ place }: Printing): void {
  for (const host of ptyHostsIn(place.directory)) process.kill(host, 'SIGKILL');
}

/** Returns the process that serves. On a slow machine, a host may have started one before. */
const serving = (place: Place): Promise<number> =>
  served(place).then(
    ({ pid = 0 }) => pid,
    async () => (await place.json('serve', '--status')).pid,
  );

async function killBoth(printing: Printing): Promise<void> {
  const { place, daemon } = printing;
  process.kill(daemon, 'SIGKILL');
  killHost(printing);
  await expect.poll(() => isAlive(daemon)).toBe(false);
  await serving(place);
}

async function killBothAfterRestart({ place, daemon, kill }: Printing): Promise<void> {
  process.kill(daemon, 'SIGKILL');
  await expect.poll(() => isAlive(daemon)).toBe(false);
  const next = await serving(place);
  await delay(savedMs + ((kill * 137) % (1_000 - savedMs)));
  await killBoth({ place, daemon: next, kill });
}

/** Returns how much of what a program printed is lost, in ms: both are times of the program itself. */
async function lostMs(kill: number, killing: (printing: Printing) => unknown): Promise<number> {
  const place = new Place();
  const { pid: daemon = 0 } = await served(place);
  const file = join(place.directory, 'printed');
  await place.ok('spawn', 'work', '--', process.execPath, testProgram('print-times.mjs'), file);
  await place.sees('work', 't');
  await delay(1_500 + ((kill * 613) % 1_000));
  await killing({ place, daemon, kill });
  const lost = { status: 'exited', ended_by: { reason: 'host_lost' } };
  await expect.poll(() => place.json('info', 'work'), { timeout: 30_000 }).toMatchObject(lost);
  const { stdout } = await place.vtr(['read', 'work', '--tail', '20']);
  return lastTime(readFileSync(file, 'utf8')) - lastTime(stdout);
}

describe('a PTY host that is killed while a program prints', () => {
  it.each([
    ['alone', 200, killHost, shortened(10, 2)],
    ['with the daemon', 1_000, killBoth, shortened(10, 2)],
    ['with a daemon that began 250 ms before', 1_000, killBothAfterRestart, shortened(20, 2)],
  ])(
    '%s: the session is kept with all but its last output',
    async (_, promisedMs, killing, kills) => {
      let mostLostMs = 0;
      for (let kill = 0; kill < kills; kill++)
        mostLostMs = Math.max(mostLostMs, await lostMs(kill, killing));
      const boundMs = allowedMs(promisedMs);
      report({ kills, mostLostMs, boundMs });
      expect(mostLostMs).toBeLessThanOrEqual(boundMs);
    },
  );
});
