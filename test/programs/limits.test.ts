import { afterEach, beforeEach, describe, expect } from 'vitest';
import { LocalCoordinator } from '#coordinator';
import type { SessionInfo, WaitRequest } from '#model';
import { needs } from '../support/run/needs.ts';

/**
 * Programs that are paused again and again, because something in their session takes too much of the
 * processors, take no note of it.
 */
describe('a session that is kept from the processors', () => {
  let coordinator: LocalCoordinator;
  let session: SessionInfo;

  beforeEach(async () => {
    coordinator = new LocalCoordinator();
    session = await coordinator.spawn({
      ...{ program: 'bash', args: ['--norc'], env: { PS1: '$ ' } },
      ...{ limits: { cpuPercent: 15 }, shellIntegration: false },
    });
    await type('set -m; unset HISTFILE; echo rea""dy\r', { match: ['^ready'] });
  });
  afterEach(() => coordinator.close());

  const type = async (text: string, wait: WaitRequest) => {
    const sent = await coordinator.sendText(session, text, {
      wait: { timeoutMs: 20_000, ...wait },
    });
    return sent.wait?.outcome;
  };
  const press = async (key: string, wait: WaitRequest) => {
    const sent = await coordinator.sendKeys(session, [key], {
      wait: { timeoutMs: 20_000, ...wait },
    });
    return sent.wait?.outcome;
  };
  /** Something that has to be paused, and goes on for so long that it has been. */
  const burn = () =>
    type('while :; do :; done & sleep 3; echo bur""ning\r', { match: ['^burning'] });
  const text = async () =>
    (await coordinator.readLines(session)).lines.map((line) => line.text).join('\n');

  needs('bash')('has jobs as ever: its shell never takes a paused one for stopped', async () => {
    const line = 'sh -c "while :; do :; done"\r';
    await type(line, { stop: ['Stopped'], timeoutMs: 4000 });
    expect(await text()).not.toContain('Stopped');
    expect(await press('ctrl+z', { match: ['Stopped'] })).toBe('matched');
    await burn();
    expect(await type('\r', { stop: ['Done', 'Continued'], timeoutMs: 3000 })).toBe('timed_out');
    expect(await type('jobs -s; echo job""s\r', { match: ['^jobs'] })).toBe('matched');
    expect(await text()).toMatch(/^\[1\].*Stopped.*while/m);
    expect(await type('fg 1\r', { match: ['^sh -c'] })).toBe('matched');
    // Not the echo of the key: what is typed before the prompt may be discarded.
    expect(await press('ctrl+c', { match: ['\\$ $'] })).toBe('matched');
    expect(await type('echo bac""k\r', { match: ['^back'] })).toBe('matched');
  });

  needs('bash', 'vim')('has a vim in it that can be worked with', async () => {
    await burn();
    expect(await type('vim -u NONE -N -i NONE -n\r', { screen: ['^~'] })).toBe('matched');
    for (const word of ['one', 'two', 'three']) {
      expect(await type(`i${word} `, { screen: [word] })).toBe('matched');
      await coordinator.sendKeys(session, ['escape']);
    }
    expect(await type(':q!\r', { match: ['\\$ $'] })).toBe('matched');
    expect(await type('echo bac""k\r', { match: ['^back'] })).toBe('matched');
  });

  needs('bash', 'python3')('has a Python in it that sleeps for as long as it should', async () => {
    await burn();
    const line = 'import time; a = time.monotonic(); time.sleep(2); b = time.monotonic() - a';
    const program = `python3 -c '${line}; print("sle" + "pt", 2 <= b)'\r`;
    expect(await type(program, { match: ['^slept True'] })).toBe('matched');
  });
});
