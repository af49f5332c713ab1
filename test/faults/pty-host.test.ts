import { join } from 'node:path';
import { afterAll, describe, expect } from 'vitest';
import { ignored } from '#base';
import { LocalCoordinator } from '#coordinator';
import type { ErrorCode } from '#model';
import { probePtyHost } from '#pty/hosted';
import { failEveryCall, type Operation } from '../support/faults/every-call.ts';
import { FailingPtyHost } from '../support/faults/failing-pty-host.ts';
import { failingBinding } from '../support/faults/libc-calls.ts';
import { provided } from '../support/run/needs.ts';
import { tree } from '../support/tree.ts';

const root = tree({}, afterAll);
const socket = join(root, 'ptyd');
const logged: string[] = [];
const log = (line: string) => void logged.push(line);

let host: FailingPtyHost;
const coordinators: LocalCoordinator[] = [];

/** A coordinator with the programs of the host. */
async function connected(): Promise<LocalCoordinator> {
  const ptyHost = await host.connect();
  const coordinator = new LocalCoordinator({
    ptyHost,
    defaults: { environment: { PATH: process.env['PATH'] ?? '' }, cwd: root },
    onFault: (error) => log(`fault: ${error}`),
  });
  coordinators.push(coordinator);
  // As a daemon does.
  ptyHost.onDeprived(() => void coordinator.detach().catch((error) => log(`left: ${error}`)));
  await coordinator.adopt();
  return coordinator;
}

/** Types a line, and returns how the wait for its echo ends. */
async function echo(coordinator: LocalCoordinator): Promise<string> {
  await coordinator.sendText('one', 'hello\r');
  const { outcome } = await coordinator.wait('one', { screen: ['hello'], timeoutMs: 120_000 });
  if (outcome !== 'exited') return outcome;
  const { endedBy } = await coordinator.info('one');
  return endedBy?.reason ?? outcome;
}

/** Some hundred programs are started, and thousands in a soak. */
const timeoutMs = 1_800_000;

const codes: readonly ErrorCode[] = [
  // The host of the session does not answer any more.
  'SESSION_NOT_RUNNING',
  ...(['UNAVAILABLE', 'PTY_ERROR', 'IO_ERROR', 'SYSTEM_LIMIT', 'SPAWN_FAILED'] as const),
  ...(['CWD_NOT_FOUND', 'CWD_NOT_DIRECTORY', 'PROGRAM_NOT_EXECUTABLE'] as const),
];

const operations: readonly Operation[] = [
  {
    name: 'a host listens, and is found',
    codes: ['UNAVAILABLE'],
    prepare: () => host.close(),
    async act() {
      await host.open();
      const { state } = await probePtyHost(socket);
      return state;
    },
    // It was suspended while it waited for the answer.
    isReported: (result) => result === 'silent',
  },
  {
    name: 'a coordinator starts a program at a host, and ends it',
    codes,
    async act() {
      const coordinator = await connected();
      await coordinator.spawn({ name: 'one', program: 'cat' });
      const outcome = await echo(coordinator);
      await coordinator.resize('one', { cols: 100, rows: 30 });
      const { signal } = await coordinator.remove('one');
      return [outcome, signal !== null];
    },
  },
  {
    name: 'a coordinator leaves its programs, and the next one adopts them',
    codes,
    async prepare() {
      await (await connected()).spawn({ name: 'one', program: 'cat' });
    },
    async act() {
      await coordinators[0]?.detach();
      const next = await connected();
      const [info] = await next.list();
      return [info?.name, info?.state, await echo(next)];
    },
  },
];

/** A line that has failed for one operation does not for the next: each starts programs. */
const failed = new Set<string>();

describe('a PTY host, of which every system call fails', () => {
  for (const operation of operations) {
    const prepare = async () => {
      logged.length = 0;
      host = new FailingPtyHost(socket, log);
      await host.open();
      await operation.prepare?.();
    };
    const undo = async () => {
      for (const each of coordinators.splice(0))
        await ignored(each.close(), 'its connection may be broken');
      await host.close();
    };
    provided(failingBinding !== null, 'needs the C library')(
      operation.name,
      async () => {
        const failing = { ...operation, prepare, undo };
        const { wrong, calls } = await failEveryCall(failing, root, failed);
        expect(wrong).toEqual([]);
        expect(calls).toBeGreaterThan(0);
      },
      timeoutMs,
    );
  }
});
