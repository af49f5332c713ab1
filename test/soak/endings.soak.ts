import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { LocalCoordinator } from '#coordinator';
import { type Coordinator, startMark } from '#model';
import { root } from '../../scripts/root.mjs';
import { allowedMs, MeasuredDaemon, report } from '../support/command/measured-daemon.ts';
import { isAlive, openFiles, ptyHostOf, threads, zombies } from '../support/pty/process-facts.ts';
import { shortened } from '../support/run/durations.ts';
import { needs, provided } from '../support/run/needs.ts';
import { EngineWindow } from '../support/tty/attached-windows.ts';

/** The longest of `times` runs, in ms. */
async function longest(times: number, work: () => Promise<number>): Promise<number> {
  let most = 0;
  for (let run = 0; run < times; run++) most = Math.max(most, await work());
  return most;
}

async function msOf(work: () => Promise<unknown>): Promise<number> {
  const begin = performance.now();
  await work();
  return performance.now() - begin;
}

/** A session of a program that says `ready`. */
async function ready(coordinator: Coordinator, program: string, ...args: string[]) {
  const session = await coordinator.spawn({ program, args });
  await coordinator.wait(session, { match: ['ready'], since: startMark });
  return session;
}

const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number);

/** The numbers that are greater than before. */
const more = (now: readonly number[][], before: readonly number[][]) =>
  now.flat().filter((count, at) => count > (before.flat()[at] ?? 0));

const times = shortened(20, 2);

describe('the end of', () => {
  needs('bash')('an interactive shell, which ignores TERM: rm takes less than 1 s', async () => {
    const { coordinator } = await MeasuredDaemon.start();
    const rmMs = await longest(times, async () => {
      const line = 'PS1="ready "; exec bash --norc --noprofile -i';
      const session = await ready(coordinator, 'bash', '-c', `export ${line}`);
      return msOf(() => coordinator.remove(session));
    });
    report({ times, rmMs });
    expect(rmMs).toBeLessThan(allowedMs(1_000));
  });

  it('a program whose background job holds the terminal is reported within 100 ms', async () => {
    const { coordinator } = await MeasuredDaemon.start();
    const exitMs = await longest(times, async () => {
      const script = "trap '' HUP; sleep 1000 & echo ready; read -r _; exit 5";
      const session = await ready(coordinator, 'sh', '-c', script);
      const ms = await msOf(async () => {
        const exited = coordinator.wait(session);
        await coordinator.sendText(session, '\n');
        expect((await exited).exitStatus).toEqual({ code: 5, signal: null });
      });
      await coordinator.remove(session, { force: true });
      return ms;
    });
    report({ times, exitMs });
    expect(exitMs).toBeLessThan(allowedMs(100));
  });

  it('ten thousand programs leaves no zombie, no file and no thread', async () => {
    const { coordinator, pid } = await MeasuredDaemon.start();
    const processes = [pid, ptyHostOf(pid) ?? pid];
    const facts = () => processes.map((each) => [openFiles(each), threads(each), zombies(each)]);
    const count = shortened(10_000, 100);
    const run = async (number: number) => {
      const args = ['-c', `exit ${number % 200}`];
      const session = await coordinator.spawn({ program: 'sh', args });
      const { exitStatus } = await coordinator.wait(session);
      expect(exitStatus).toEqual({ code: number % 200, signal: null });
      await coordinator.remove(session);
    };
    let next = 0;
    const worker = async (end: number) => {
      while (next < end) await run(next++);
    };
    const workers = (end: number) => Promise.all(Array.from({ length: 16 }, () => worker(end)));
    await workers(64);
    const before = facts();
    const seconds = (await msOf(() => workers(count))) / 1000;
    report({ count, perSecond: count / seconds });
    await expect.poll(() => more(facts(), before), { timeout: 30_000 }).toEqual([]);
  });
});

/** The line that runs a program in a namespace of processes, whose first process is a shell. */
const withProcesses = (...words: string[]): string[] => [
  ...['unshare', '-rpf', '--mount-proc', 'sh', '-c', '"$@"; exit $?', 'sh'],
  ...words,
];

const canSetNextPid = () => {
  const write = 'echo 1000 > /proc/sys/kernel/ns_last_pid';
  const [program = '', ...args] = withProcesses('sh', '-c', write);
  return process.platform === 'linux' && spawnSync(program, args).status === 0;
};

describe('a process id that is used again', () => {
  provided(canSetNextPid(), 'only where a namespace of processes can be made')(
    'belongs to a program that no removal of the former session signals',
    () => {
      const script = join(root, 'test/programs/reuse-pids.mjs');
      const [program = '', ...args] = withProcesses(process.execPath, script, `${times}`);
      const output = execFileSync(program, args, { cwd: root, encoding: 'utf8' });
      const { reused, signalled } = JSON.parse(output);
      report({ reused, signalled });
      expect(reused).toBe(times);
      expect(signalled).toBe(0);
    },
  );
});

describe('vim, killed in the alternate screen', () => {
  needs('vim')('leaves a screen that can be read, and no modes to the next viewer', async () => {
    const { coordinator, place } = await MeasuredDaemon.start();
    writeFileSync(join(place.directory, 'text'), 'some text of a file\n');
    for (let run = 0; run < times; run++) {
      const command = "vim -u NONE -N -c 'set mouse=a' text";
      const args = ['-c', `PS1='$ ' ${command}; echo after vim; exec cat`];
      const session = await coordinator.spawn({
        program: 'sh',
        args,
        cwd: place.directory,
        env: { TERM: 'xterm-256color' },
      });
      await coordinator.wait(session, { screen: ['some text of a file'], timeoutMs: 30_000 });
      const [vim] = childrenOf(session.pid);
      process.kill(vim ?? 0, 'SIGKILL');
      await coordinator.wait(session, { screen: ['after vim'], timeoutMs: 30_000 });
      const { text } = await coordinator.screen(session);
      expect(text.join('\n')).toContain('ext of a file');
      const words = [session.name, '--status', 'off'];
      const window = await EngineWindow.open({ place, size: session.size, words });
      const { coordinator: viewer, session: kind } = window;
      await viewer.wait(kind, { screen: ['after vim'], timeoutMs: 30_000 });
      expect((await viewer.screen(kind)).alternate).toBe(true);
      const detached = viewer.wait(kind, {});
      await viewer.sendKeys(kind, ['ctrl+b', 'd']);
      expect((await detached).exitStatus).toEqual({ code: 0, signal: null });
      const { alternate, cursor } = await viewer.screen(kind);
      expect([alternate, cursor.visible]).toEqual([false, true]);
      await coordinator.remove(session, { force: true });
    }
    report({ times });
  });
});

describe('a command that attaches, killed while a program floods', () => {
  it('is no viewer within 100 ms, leaves the size, and others undisturbed', async () => {
    const daemon = await MeasuredDaemon.start();
    const { coordinator, place } = daemon;
    await coordinator.spawn({ name: 'flood', program: 'yes', size: { cols: 80, rows: 24 } });
    const other = new LocalCoordinator();
    onTestFinished(() => other.close());
    const colsOf = async () => (await coordinator.info('flood')).size.cols;
    const viewers = async () => (await coordinator.info('flood')).viewers?.length ?? 0;
    const goneMs = await longest(times, async () => {
      const words = ['flood', '--status', 'off'];
      const window = await EngineWindow.open({ place, size: { cols: 60, rows: 20 }, words });
      await window.coordinator.sendText(window.session, ' ');
      await expect.poll(colsOf, { interval: 5 }).toBe(60);
      const { pid } = await window.coordinator.info(window.session);
      const gone = msOf(() => expect.poll(viewers, { interval: 2 }).toBe(0));
      process.kill(pid, 'SIGKILL');
      const ms = await gone;
      expect(isAlive(pid)).toBe(false);
      expect(await colsOf()).toBe(60);
      await coordinator.wait('flood', { match: ['^y$'] });
      return ms;
    });
    report({ times, goneMs });
    expect(goneMs).toBeLessThan(allowedMs(100));
  });
});
