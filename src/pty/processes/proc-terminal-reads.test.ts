import { spawn } from 'node:child_process';
import { readlinkSync } from 'node:fs';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { provided } from '../../../test/support/run/needs.ts';
import { BlockedCalls, readsTerminal } from './proc-terminal-reads.ts';

const onLinux = provided(process.platform === 'linux', 'only on Linux: reads /proc');

describe('the system call of a thread', () => {
  const task = '/proc/1/task/1';
  const read = '0 0x0 0x7f86 0x1 0x0 0x0 0x0 0x7ffd 0x7f11';
  /** What the files of the thread have. */
  const files = { trace: '100 5 1', call: read as string | null };
  const callsOfThread = () =>
    new BlockedCalls({
      now: (path) => (path === `${task}/schedstat` ? files.trace : null),
      later: async () => files.call,
    });

  it('is read again when the thread has run', async () => {
    const calls = callsOfThread();
    Object.assign(files, { trace: '100 5 1', call: read });
    expect(await calls.of(task)).toBe(read);
    files.call = 'running';
    expect(await calls.of(task)).toBe(read);
    files.trace = '101 5 2';
    expect(await calls.of(task)).toBe('running');
    files.call = read;
    expect(await calls.of(task)).toBe(read);
  });

  it.each([
    ['the system does not count', '0 0 0', read],
    ['it runs', '100 5 1', 'running'],
    ['it may not be read', '100 5 1', null],
  ])('is not kept if %s', async (_why, trace, call) => {
    const calls = callsOfThread();
    Object.assign(files, { trace, call });
    expect(await calls.of(task)).toBe(call);
    files.call = '1 0x0';
    expect(await calls.of(task)).toBe('1 0x0');
  });

  it('is not that of before, if the thread runs while it is read', async () => {
    Object.assign(files, { trace: '100 5 1' });
    const texts = [read, '1 0x0'];
    const calls = new BlockedCalls({
      now: () => files.trace,
      later: async () => {
        files.trace = `${files.trace}0`;
        return texts.shift() ?? null;
      },
    });
    expect([await calls.of(task), await calls.of(task)]).toEqual([read, '1 0x0']);
  });
});

onLinux('what a program reads is as it is now, however often it was asked for', async () => {
  const script = 'read one; read two; exec sleep 1000';
  const child = spawn('sh', ['-c', script], { stdio: ['pipe', 'ignore', 'ignore'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const pid = child.pid ?? 0;
  const input = readlinkSync(`/proc/${pid}/fd/0`);
  const isNow = (reads: unknown) =>
    vi.waitFor(async () => expect(await readsTerminal(pid, input)).toBe(reads));
  await isNow('only');
  expect(await readsTerminal(pid, input)).toBe('only');
  expect(await readsTerminal(pid, '/dev/pts/none')).toBe(false);
  child.kill('SIGSTOP');
  await isNow(false);
  child.kill('SIGCONT');
  child.stdin.write('one\n');
  await isNow('only');
  child.stdin.write('two\n');
  await isNow(false);
});
