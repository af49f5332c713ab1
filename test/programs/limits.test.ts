import { appendFileSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LocalCoordinator } from '#coordinator';
import type { SendResult, SessionInfo, WaitRequest } from '#model';
import { readTrail } from '../../src/audit/read-trail.ts';
import { needs } from '../support/run/needs.ts';
import { tree } from '../support/tree.ts';

/**
 * Programs are suspended again and again while their session exceeds its CPU limit. They must not
 * notice.
 */
describe('a session that is throttled', () => {
  let coordinator: LocalCoordinator;
  let session: SessionInfo;
  /** The text of the session after a wait that timed out. */
  let transcript = '';

  beforeEach(async () => {
    coordinator = new LocalCoordinator();
    session = await coordinator.spawn({
      program: 'bash',
      args: ['--norc'],
      env: { PS1: '$ ' },
      limits: { cpuPercent: 15 },
      shellIntegration: false,
    });
    await type('set -m; unset HISTFILE; echo rea""dy\r', { match: ['^ready'] });
  });
  afterEach(() => coordinator.close());

  const ended = async (sending: Promise<SendResult>) => {
    const outcome = (await sending).wait?.outcome;
    if (outcome === 'timed_out') transcript = await text();
    return outcome;
  };
  const type = (text: string, wait: WaitRequest) =>
    ended(coordinator.sendText(session, text, { wait: { timeoutMs: 20_000, ...wait } }));
  const press = (key: string, wait: WaitRequest) =>
    ended(coordinator.sendKeys(session, [key], { wait: { timeoutMs: 20_000, ...wait } }));
  /** Starts a loop that is throttled, and waits until it has been. */
  const burn = () =>
    type('while :; do :; done & sleep 3; echo bur""ning\r', { match: ['^burning'] });
  const text = async () =>
    (await coordinator.readLines(session)).lines.map((line) => line.text).join('\n');

  needs('bash')(
    'keeps its jobs: the shell never takes a throttled job for a stopped one',
    async () => {
      const line = 'sh -c "while :; do :; done"\r';
      await type(line, { stop: ['Stopped'], timeoutMs: 4000 });
      expect(await text()).not.toContain('Stopped');
      expect(await press('ctrl+z', { match: ['Stopped'] }), transcript).toBe('matched');
      await burn();
      expect(await type('\r', { stop: ['Done', 'Continued'], timeoutMs: 3000 })).toBe('timed_out');
      expect(await type('jobs -s; echo job""s\r', { match: ['^jobs'] }), transcript).toBe(
        'matched',
      );
      expect(await text()).toMatch(/^\[1\].*Stopped.*while/m);
      expect(await type('fg 1\r', { match: ['^sh -c'] }), transcript).toBe('matched');
      // Not the echo of the key: input before the prompt may be discarded.
      expect(await press('ctrl+c', { match: ['\\$ $'] }), transcript).toBe('matched');
      expect(await type('echo bac""k\r', { match: ['^back'] }), transcript).toBe('matched');
    },
  );

  needs('bash', 'vim')('contains a vim that responds', async () => {
    await burn();
    // Without queries of the terminal: if vim exits before the answer, the shell reads it.
    const vim = 'vim -u NONE -N -i NONE -n --cmd "set t_RV=" --cmd "sil! set t_RK="\r';
    expect(await type(vim, { screen: ['^~'] }), transcript).toBe('matched');
    for (const word of ['one', 'two', 'three']) {
      expect(await type(`i${word} `, { screen: [word] }), transcript).toBe('matched');
      await coordinator.sendKeys(session, ['escape']);
    }
    expect(await type(':q!\r', { match: ['\\$ $'] }), transcript).toBe('matched');
    expect(await type('echo bac""k\r', { match: ['^back'] }), transcript).toBe('matched');
  });

  needs('bash', 'python3')('contains a Python that sleeps for the full time', async () => {
    await burn();
    const line = 'import time; a = time.monotonic(); time.sleep(2); b = time.monotonic() - a';
    const program = `python3 -c '${line}; print("sle" + "pt", 2 <= b)'\r`;
    expect(await type(program, { match: ['^slept True'] }), transcript).toBe('matched');
  });
});

it('an audit file of more than 2 GiB, which Node cannot read at once, is read', () => {
  const directory = tree({ '000001.jsonl': '' });
  const file = join(directory, '000001.jsonl');
  // The zeros take no place on the disk.
  truncateSync(file, 2 ** 31 + 2 ** 20);
  appendFileSync(file, `\n${JSON.stringify({ time: '2026-11-23T12:00:00.000Z', bytes: 1 })}\n`);
  const { entries, damaged } = readTrail(directory);
  expect([entries.map(({ bytes }) => bytes), damaged]).toEqual([[1], 1]);
});
