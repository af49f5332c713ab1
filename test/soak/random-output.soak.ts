import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { VtrError } from '#model';
import { root } from '../../scripts/root.mjs';
import { allowedMs, MeasuredDaemon, report } from '../support/command/measured-daemon.ts';
import { residentMb } from '../support/pty/process-facts.ts';
import { testProgram } from '../support/pty/pty-request.ts';
import { isShortened, shortened } from '../support/run/durations.ts';

const durationMs = shortened(600_000, 10_000);
const hourMs = 3_600_000;
/** Scrollback of 32 MB, which a resize has twice for a moment, a recording of 2 MB, and what is smaller. */
const maxSessionMb = 100;
const directories = ['test/fuzz/corpus', 'test/golden/cases'].map((path) => join(root, path));
const seed = Number(process.env['VTR_TEST_SEED'] ?? 1);

it('programs that print random bytes for ten minutes crash nothing, and delay no other session by more than 100 ms', async () => {
  const daemon = await MeasuredDaemon.start();
  const { coordinator, pid } = daemon;
  const alsoBusyMs = allowedMs(100);
  const names = ['random-0', 'random-1', 'random-2'];
  for (const [index, name] of names.entries()) {
    const args = [testProgram('random-output.mjs'), `${seed + index}`, ...directories];
    await coordinator.spawn({ name, program: process.execPath, args });
  }
  await daemon.echoes(2_000);
  const beforeMb = residentMb(pid);
  let isOver = false;
  let calls = 0;
  const use = async () => {
    while (!isOver) {
      for (const name of names) {
        calls += 4;
        const size = { cols: 1 + ((calls * 37) % 300), rows: 1 + ((calls * 13) % 100) };
        await coordinator.resize(name, size);
        const { text } = await coordinator.screen(name);
        expect(text).toHaveLength(size.rows);
        await coordinator.read(name, {});
        await coordinator.search(name, { pattern: '[a-z]+$' }).catch((error) => {
          // The output can outrun the search.
          expect(error).toBeInstanceOf(VtrError);
        });
      }
      await delay(200);
    }
  };
  const using = use();
  const times = await daemon.echoes(durationMs);
  isOver = true;
  await using;
  // The worst of ten minutes: the machine may hesitate as long as in the worst echo without vtr.
  const boundMs = Math.max(alsoBusyMs, 6 * times.controlMaxMs);
  const logKbPerHour = (daemon.loggedBytes / 1024) * (hourMs / durationMs);
  const growthMb = residentMb(pid) - beforeMb;
  report({ ...times, boundMs, calls, growthMb, logKbPerHour });
  for (const name of names) expect((await coordinator.info(name)).state).toBe('running');
  expect(times.maxMs).toBeLessThan(boundMs);
  expect(growthMb).toBeLessThan(names.length * maxSessionMb);
  if (!isShortened) expect(logKbPerHour).toBeLessThan(1024);
});
