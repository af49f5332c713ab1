import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { connect } from '#app/client';
import { Place } from '../support/command/vtr-command.ts';

describe('a daemon that is suspended', () => {
  it('makes no call wait: each fails and names the process; it is used again when it continues', async () => {
    const place = new Place();
    await place.shell('one');
    const connected = await connect({ socket: place.socket });
    const { pid } = await place.json('serve', '--status');
    process.kill(pid, 'SIGSTOP');
    try {
      const verbs = [
        ['ls'],
        ['ls', '--names'],
        ['screen', 'one'],
        ['send', 'one', ':'],
        ['wait', 'one', '--timeout', '1m'],
        ['spawn', 'one', '--', 'sh'],
        ['serve', '--status'],
        ['serve', '--daemon'],
        ['serve', '--restart'],
      ];
      const runs = verbs.map(async (words) => {
        const { status, stdout, stderr } = await place.vtr(words);
        expect([words, status, stdout]).toEqual([words, 3, '']);
        expect(stderr).toContain('does not respond');
        expect(stderr).toContain(`kill -CONT ${pid}`);
      });
      const silent = { code: 'UNAVAILABLE', details: { reason: 'SILENT' } };
      await Promise.all([
        ...runs,
        expect(connect({ socket: place.socket })).rejects.toMatchObject(silent),
        expect(connected.list()).rejects.toMatchObject(silent),
        expect(connected.subscribe('one')).rejects.toMatchObject(silent),
      ]);
      const { findings } = JSON.parse((await place.vtr(['doctor', '--json'])).stdout);
      const bad = findings.filter(({ state }: { state: string }) => state !== 'good');
      expect(bad.map(({ subject }: { subject: string }) => subject)).toEqual(['daemon']);
      expect(bad[0].fix).toContain(`kill -CONT ${pid}`);
    } finally {
      process.kill(pid, 'SIGCONT');
    }
    expect((await connected.list()).map(({ name }) => name)).toEqual(['one']);
    await connected.close();
    expect(await place.ok('ls', '--names')).toBe('one\n');
  });
});

describe('a daemon that is ending', () => {
  it('delays a spawn, which then starts the next one', async () => {
    const place = new Place();
    const [asked, go] = [join(place.directory, 'asked'), join(place.directory, 'go')];
    // Ends when it may, and not before.
    const script = `trap 'touch ${asked}; until [ -e ${go} ]; do sleep 0.02; done; exit' TERM HUP; while :; do sleep 0.02; done`;
    await place.ok('spawn', 'slow', '--', 'sh', '-c', script);
    const stopped = place.vtr(['serve', '--stop']);
    onTestFinished(() => writeFileSync(go, ''));
    await expect.poll(() => existsSync(asked), { timeout: 20_000 }).toBe(true);
    expect(await place.vtr(['ls'])).toMatchObject({ status: 3 });
    const { ended } = await place.calling('Spawn', ['spawn', 'next', '--', 'cat']);
    // Its first try is refused before this call is.
    expect(await place.vtr(['ls'])).toMatchObject({ status: 3 });
    writeFileSync(go, '');
    expect((await ended).stderr).toBe('');
    await stopped;
    expect(await place.ok('ls', '--names')).toBe('next\n');
  });
});
