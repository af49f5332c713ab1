import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { newPtyHostSocket, writeDaemonRecord } from '#config';
import { isAlive } from '../../../test/support/pty/process-facts.ts';
import { provided } from '../../../test/support/run/needs.ts';
import { nodeArgs, reachDaemon, startDaemon } from './start-daemon.ts';

/** The limits that the system is said to have reached. */
let reached = '';
vi.mock('#app/daemon', () => ({ limitsOfStart: () => reached }));

let directory: string;

beforeEach(() => {
  reached = '';
  directory = mkdtempSync(join(tmpdir(), 'vtr-start-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

/** A daemon that is killed this often before it answers. @returns how often it was started */
function daemon(kills: number) {
  const program = join(directory, 'daemon.cjs');
  const count = join(directory, 'count');
  const starts = () => readFileSync(count, 'utf8').length;
  writeFileSync(count, '');
  writeFileSync(
    program,
    `const { appendFileSync, readFileSync } = require('node:fs');
appendFileSync(${JSON.stringify(count)}, '.');
if (readFileSync(${JSON.stringify(count)}).length <= ${kills}) process.kill(process.pid, 'SIGKILL');
else process.send({ serving: process.pid }, () => process.exit(0));
`,
  );
  return { command: { program, env: process.env }, starts };
}

provided(process.platform === 'linux', 'only on Linux: counts threads in /proc')(
  'a daemon has one thread of V8 beside the main one',
  () => {
    const count = 'fs.readdirSync("/proc/self/task").length';
    const threads = (...flags: readonly string[]) =>
      Number(execFileSync(process.execPath, [...flags, '-p', count], { encoding: 'utf8' }));
    expect(threads(...nodeArgs)).toBe(threads('--v8-pool-size=1'));
    expect(threads(...nodeArgs)).toBeLessThan(threads('--v8-pool-size=2'));
  },
);

describe('a daemon that is killed before it answers', () => {
  it('is started again', async () => {
    const { command, starts } = daemon(2);
    const { wasRunning } = await startDaemon(command, join(directory, 'vtr.sock'));
    expect([wasRunning, starts()]).toEqual([false, 3]);
  });

  it('is an error if that happens again and again', async () => {
    const { command, starts } = daemon(100);
    await expect(startDaemon(command, join(directory, 'vtr.sock'))).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: expect.stringContaining('was killed by SIGKILL before it answered'),
    });
    expect(starts()).toBe(4);
  });
});

describe('a daemon that ran in the foreground and left its PTY host', () => {
  afterEach(() => void vi.useRealTimers());

  const listen = async (path: string) => {
    const server = createServer((socket) => socket.destroy()).listen(path);
    onTestFinished(() => void server.close());
    await once(server, 'listening');
  };
  const left = async () => {
    const { command, starts } = daemon(0);
    const socket = join(directory, 'vtr.sock');
    writeDaemonRecord(socket, { flags: [], inForeground: true, state: directory });
    await listen(newPtyHostSocket(socket));
    return { command, starts, socket };
  };

  it('is not started by a call if a supervisor starts it meanwhile', async () => {
    // The time that the call waits does not end.
    vi.useFakeTimers({ toFake: ['performance'] });
    const { command, starts, socket } = await left();
    const served = reachDaemon(command, socket, 'if_left');
    await listen(socket);
    expect([await served, starts()]).toEqual([true, 0]);
  });

  it('is started by a call if no supervisor does', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const { command, starts, socket } = await left();
    const served = reachDaemon(command, socket, 'if_left');
    const passing = setInterval(() => vi.advanceTimersByTime(1_000), 1);
    onTestFinished(() => clearInterval(passing));
    expect([await served, starts()]).toEqual([true, 1]);
  });
});

describe('a daemon that hangs before it answers', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
  afterEach(() => void vi.useRealTimers());

  /** Real time passes while it waits. */
  const until = async (isSo: () => boolean) => {
    while (!isSo()) await new Promise(setImmediate);
  };
  const ended = async (afterMs: number) => {
    const program = join(directory, 'daemon.cjs');
    const file = join(directory, 'pid');
    const text = `require('node:fs').writeFileSync(${JSON.stringify(file)}, process.pid + '.');
setInterval(() => {}, 1e6);`;
    writeFileSync(program, text);
    writeFileSync(file, '');
    const started = startDaemon({ program, env: process.env }, join(directory, 'vtr.sock'));
    const failure = started.catch((error) => error);
    await until(() => readFileSync(file, 'utf8').endsWith('.'));
    const pid = Number.parseInt(readFileSync(file, 'utf8'), 10);
    expect(isAlive(pid)).toBe(true);
    await vi.advanceTimersByTimeAsync(afterMs);
    const { code, message } = await failure;
    await until(() => !isAlive(pid));
    return [code, message];
  };

  it('is ended after two minutes', async () => {
    const text = expect.stringContaining('hung for 120 s before it answered; see ');
    expect(await ended(120_000)).toEqual(['UNAVAILABLE', text]);
  });

  it('is ended soon where a limit is reached, which is named', async () => {
    reached = 'processes and threads of this user 40 of 40';
    expect(await ended(5_000)).toEqual([
      'SYSTEM_LIMIT',
      `the daemon hung for 5 s before it answered; reached: ${reached}; end programs or raise the limit`,
    ]);
  });
});
