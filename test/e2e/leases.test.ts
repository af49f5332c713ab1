import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it, onTestFinished } from 'vitest';
import { root } from '../../scripts/root.mjs';
import { exitOf, served } from '../support/command/running-daemon.ts';
import { Place } from '../support/command/vtr-command.ts';
import { hasProc, isAlive, marked } from '../support/pty/process-facts.ts';
import { testProgram } from '../support/pty/pty-request.ts';

/** A process with a lease on a program, and the name of the session; it drives another session. */
async function holder(place: Place, ...driven: string[]) {
  const words = [testProgram('lease-holder.mjs'), place.socket, ...driven];
  const child = spawn(process.execPath, words, {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [line] = await once(child.stdout.setEncoding('utf8'), 'data');
  return { child, name: String(line).trim() };
}

describe('a client with a lease on programs', () => {
  it('that is killed leaves no program, its session can be read, and it drives no other', async () => {
    const place = new Place();
    await served(place);
    await place.ok('spawn', 'mine', '--', 'cat');
    const { child, name } = await holder(place, 'mine');
    expect((await place.json('info', 'mine')).driver).toMatchObject({ kind: 'person', epoch: 2 });
    await place.sees(name, 'up');
    const { pid, id } = await place.json('info', name);
    if (hasProc) expect(marked(id).length).toBeGreaterThan(2);
    const waiting = place.vtr(['wait', name, '--exit', '--timeout', '20s']);
    child.kill('SIGKILL');
    await waiting;
    expect(await place.json('info', name)).toMatchObject({
      status: 'exited',
      ended_by: { reason: 'lease' },
    });
    expect(isAlive(pid)).toBe(false);
    if (hasProc) await expect.poll(() => marked(id)).toEqual([]);
    expect(await place.ok('screen', name)).toContain('up');
    const mine = { status: 'running', ended_by: null, driver: null, driver_epoch: 3, rows: 20 };
    expect(await place.json('info', 'mine')).toMatchObject(mine);
  });

  it('does not delay the end of the daemon', async () => {
    const place = new Place();
    const daemon = await served(place);
    const { name } = await holder(place);
    const { pid } = await place.json('info', name);
    daemon.kill('SIGTERM');
    expect(await exitOf(daemon)).toBe(0);
    expect(isAlive(pid)).toBe(false);
  });
});
