import { realpathSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { SessionInfo } from '#model';
import { hasProc } from '../../support/pty/process-facts.ts';
import { needs, provided } from '../../support/run/needs.ts';
import type { CoordinatorFixture } from '../coordinator.ts';

const states = (sessions: readonly SessionInfo[]) =>
  Object.fromEntries(sessions.map(({ name, activity }) => [name, activity?.state]));

export function listingContract(fixture: CoordinatorFixture): void {
  it('list has no activity unless it is requested', async () => {
    const { coordinator, driver } = fixture;
    const session = await driver.spawn({ name: 'one', program: 'cat' });
    expect(await coordinator.list()).toEqual([session]);
    expect(await coordinator.list({ activity: false })).toEqual([session]);
    expect(await coordinator.list({ activity: true })).toEqual([
      { ...session, activity: expect.objectContaining({ state: expect.any(String) }) },
    ]);
  });

  provided(hasProc, 'only with /proc')('list reports what each session does', async () => {
    const { coordinator, driver } = fixture;
    const ended = await driver.sh('exit 3', { name: 'ended' });
    await driver.exitOf(ended);
    await driver.spawn({ name: 'reads', program: 'cat', cwd: '/usr' });
    await driver.ready('cd /usr/bin && echo ready && exec sleep 1000', { name: 'runs', cwd: '/' });
    await driver.ready('stty -echo; echo ready; read secret', { name: 'secret' });
    await driver.ready('printf "\\033[?1049hready"; exec sleep 1000', { name: 'full' });
    await expect
      .poll(async () => states(await coordinator.list({ activity: true })))
      .toEqual({
        ended: 'exited',
        reads: 'awaiting_input',
        runs: 'running',
        secret: 'password',
        full: 'full_screen',
      });
    const [first, second, third] = await coordinator.list({ activity: true });
    expect(first?.activity).toMatchObject({ command: null, directory: process.cwd() });
    expect(first?.activity?.sinceMs).toBe(first?.exitedAtMs);
    expect(second?.activity?.directory).toBe(realpathSync('/usr'));
    expect(third?.activity).toMatchObject({
      evidence: { foreground: { name: 'sleep' } },
      directory: realpathSync('/usr/bin'),
    });
  });

  provided(hasProc, 'only with /proc')('list sees that a program hides its input', async () => {
    const { coordinator, driver } = fixture;
    const script = 'echo ready; read -r a; stty -echo; read -r b; stty echo; read -r c';
    const session = await driver.ready(script);
    const state = async () => (await coordinator.list({ activity: true }))[0]?.activity?.state;
    for (const expected of ['awaiting_input', 'password', 'awaiting_input']) {
      await expect.poll(state).toBe(expected);
      expect([await state(), await state()]).toEqual([expected, expected]);
      expect((await coordinator.activity(session)).state).toBe(expected);
      await coordinator.sendText(session, '\n');
    }
  });

  needs('bash')("list reports a shell's prompt, command and directory", async () => {
    const { coordinator, driver } = fixture;
    await driver.spawn({ name: 'shell', program: 'bash', cwd: '/', env: { HOME: '/nonexistent' } });
    await coordinator.wait('shell', { prompt: true });
    const activity = async () => (await coordinator.list({ activity: true }))[0]?.activity;
    expect(await activity()).toMatchObject({ state: 'at_prompt', command: null, directory: '/' });
    await coordinator.sendText('shell', 'cd /tmp\n', { wait: { finished: true } });
    await coordinator.sendText('shell', 'sleep 1000\n');
    await expect.poll(activity).toMatchObject({
      state: 'running',
      command: 'sleep 1000',
      directory: '/tmp',
      evidence: hasProc ? { foreground: { name: 'sleep' } } : {},
    });
  });

  it('list does not count as use', async () => {
    const { coordinator, driver } = fixture;
    await driver.spawn({ program: 'cat', lifetime: { idleMs: 300 } });
    const count = async () => (await coordinator.list({ activity: true })).length;
    await expect.poll(count).toBe(0);
  });
}
