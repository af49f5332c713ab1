import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { MeasuredDaemon, report } from '../support/command/measured-daemon.ts';
import { Place, vtrFile } from '../support/command/vtr-command.ts';
import { cpuMs } from '../support/pty/process-facts.ts';

describe('commands that are killed at fifty moments while they send', () => {
  it('have sent all of their text or none, and none twice', async () => {
    const place = new Place();
    const log = join(place.directory, 'log');
    await place.ok('spawn', 'log', '--', 'sh', '-c', `stty raw -echo; echo up; exec cat > ${log}`);
    await place.sees('log', 'up');
    const begin = performance.now();
    await place.ok('send', 'log', '<0:x:0>');
    // From before they read their arguments to after they have their answer.
    const latestMs = Math.round(1.5 * (performance.now() - begin));
    for (let index = 1; index <= 50; index++) {
      const input = `<${index}:${'x'.repeat(randomInt(1, 200_000))}:${index}>`;
      await place.vtr(['send', 'log', '--stdin'], { input, killAfterMs: randomInt(1, latestMs) });
    }
    await place.ok('send', 'log', 'end');
    await expect.poll(() => readFileSync(log, 'utf8'), { timeout: 10_000 }).toMatch(/end$/);
    const text = readFileSync(log, 'utf8').slice(0, -'end'.length);
    const whole = [...text.matchAll(/<(\d+):x+:\1>/g)];
    expect(whole.map(([each]) => each).join('')).toBe(text);
    report({ whole: whole.length, latestMs });
    expect(new Set(whole.map(([, number]) => number)).size).toBe(whole.length);
  });
});

describe('twenty daemons that start at the same time, ten times', () => {
  it('become one each time', async () => {
    const place = new Place();
    const begin = performance.now();
    for (let round = 0; round < 10; round++) {
      const starts = Array.from({ length: 20 }, () => place.vtr(['serve', '--daemon']));
      const runs = await Promise.all(starts);
      expect(runs.map(({ status }) => status)).toEqual(runs.map(() => 0));
      expect(runs.filter(({ stderr }) => stderr.includes('serving at'))).toHaveLength(1);
      await place.vtr(['serve', '--stop']);
    }
    report({ starts: 200, msPerRound: (performance.now() - begin) / 10 });
  });
});

describe('a megabyte for a program that does not read', () => {
  it('waits until its deadline with less than 2 % of a processor, and reports how much was accepted', async () => {
    const { coordinator, pid } = await MeasuredDaemon.start();
    const script = 'stty raw -echo; echo ready; exec sleep 1000';
    await coordinator.spawn({ name: 'deaf', program: 'sh', args: ['-c', script] });
    await coordinator.wait('deaf', { quietMs: 500 });
    const [beforeMs, usedMs] = [performance.now(), cpuMs(pid)];
    const sending = coordinator.sendBytes('deaf', new Uint8Array(1024 * 1024), {
      timeoutMs: 10_000,
    });
    const error = await sending.catch((thrown) => thrown);
    const percent = (100 * (cpuMs(pid) - usedMs)) / (performance.now() - beforeMs);
    report({ percent, acceptedBytes: error.details?.acceptedBytes ?? Number.NaN });
    expect(error).toMatchObject({ code: 'INPUT_TIMEOUT' });
    expect(error.details.acceptedBytes).toBeGreaterThan(0);
    expect(percent).toBeLessThan(2);
  });
});

describe('a computer that is suspended for 10 s', () => {
  it.each(['daemon', 'daemon and program'])('makes nothing idle or late: %s', async (what) => {
    const { coordinator, pid, place } = await MeasuredDaemon.start();
    const script = 'while :; do echo tick $((n=n+1)); sleep 0.2; done';
    const session = await coordinator.spawn({ program: 'sh', args: ['-c', script] });
    // In a process of its own, which is suspended too: a client that runs reports a daemon that does not.
    const words = ['wait', session.name, '--idle', '2s', '--timeout', '60s', '--json'];
    const client = spawn(process.execPath, [vtrFile, ...words], { env: place.env });
    const [said, ended] = [text(client.stdout), once(client, 'exit')];
    const waits = async () => /^vtr_waits\S* (\d+)$/m.exec(await place.ok('metrics'))?.[1];
    await expect.poll(waits).toBe('1');
    const stopped = [pid, client.pid ?? 0, ...(what === 'daemon' ? [] : [session.pid])];
    for (const each of stopped) process.kill(each, 'SIGSTOP');
    await delay(10_000);
    for (const each of stopped) process.kill(each, 'SIGCONT');
    await coordinator.wait(session, { match: ['tick'], timeoutMs: 5_000 });
    await delay(1_000);
    expect(client.exitCode).toBe(null);
    await coordinator.kill(session, 'KILL');
    await ended;
    const { outcome, elapsed_ms: waitedMs } = JSON.parse(await said);
    report({ waitedMs });
    expect(outcome).toBe('exited');
  });
});
