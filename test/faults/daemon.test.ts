import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, describe, expect } from 'vitest';
import { runDaemon } from '#app/daemon';
import { ignored } from '#base';
import type { ErrorCode } from '#model';
import { JsonCoordinator } from '#wire/service/short';
import { sharedCache } from '../support/command/vtr-command.ts';
import { deferred } from '../support/deferred.ts';
import { failEveryCall, type Operation } from '../support/faults/every-call.ts';
import { provided } from '../support/run/needs.ts';
import { tree } from '../support/tree.ts';

const root = tree({}, afterAll);
const run = join(root, 'run');
const socket = join(run, 'vtr.sock');
const env = {
  HOME: root,
  XDG_CONFIG_HOME: join(root, 'config'),
  XDG_STATE_HOME: join(root, 'state'),
  PATH: process.env['PATH'] ?? '',
  XDG_CACHE_HOME: sharedCache,
};
const user = { env, home: root };
const logged: string[] = [];
const log = (line: string) => void logged.push(line);

interface Daemon {
  readonly ended: Promise<string>;
  stop(): Promise<string>;
}

/**
 * Starts a daemon. Resolves when it serves.
 *
 * @param hosted whether its programs are in a PTY host; otherwise they end with it
 */
async function started(hosted = false): Promise<Daemon> {
  const [serving, until] = [deferred(), deferred()];
  const ended = runDaemon({
    socket,
    user,
    version: 'test',
    log,
    until: until.promise,
    pidFile: join(root, 'pid'),
    ...(hosted ? { survival: { again: null, inForeground: true, flags: [] } } : {}),
    onServing: () => serving.resolve(undefined),
  }).then(({ reason }) => reason);
  ignored(ended, 'the caller gets the error');
  await Promise.race([serving.promise, ended]);
  const stop = () => {
    until.resolve(undefined);
    return ended;
  };
  return { ended, stop };
}

/** Daemons that an operation has left. */
const running: Daemon[] = [];

async function served(hosted = false): Promise<Daemon> {
  const daemon = await started(hosted);
  running.push(daemon);
  return daemon;
}

const faults = () => logged.filter((line) => line.includes('fault'));

const codes: readonly ErrorCode[] = [
  ...(['UNAVAILABLE', 'IO_ERROR', 'INVALID_ARGUMENT', 'PTY_ERROR', 'SYSTEM_LIMIT'] as const),
  ...(['CWD_NOT_FOUND', 'CWD_NOT_DIRECTORY', 'PROGRAM_NOT_EXECUTABLE', 'SPAWN_FAILED'] as const),
];

/** Types a line, and returns how the wait for its echo ends. */
async function echo(client: JsonCoordinator): Promise<string> {
  await client.sendText('one', 'hello\r');
  const { outcome } = await client.wait('one', { screen: ['hello'], timeoutMs: 120_000 });
  return outcome;
}

const hosted: Operation = {
  name: 'a daemon with a PTY host starts, runs a program, and leaves it to the next one',
  codes: [...codes, 'SESSION_NOT_RUNNING', 'SESSION_NOT_FOUND'],
  async act() {
    const client = new JsonCoordinator(socket);
    const first = await served(true);
    await client.spawn({ name: 'one', program: 'cat' });
    const before = await echo(client);
    await client.restartDaemon(process.execPath);
    const left = await first.ended;
    await served(true);
    const after = await echo(client);
    const { sessions } = await client.listWithSilentHosts({});
    return [before, left, after, sessions.map(({ name, state }) => [name, state]), faults()];
  },
};

const operations: readonly Operation[] = [
  {
    name: 'a daemon starts, answers a short client, and stops',
    codes,
    async act() {
      const daemon = await served();
      const client = new JsonCoordinator(socket);
      const { sessions } = await client.listWithSilentHosts({});
      const metrics = await client.metrics();
      await client.stopDaemon();
      return [sessions.length, metrics.map(({ name }) => name), await daemon.ended, faults()];
    },
  },
  hosted,
];

/** What a log or a result says is missing. */
const isReported = (result: unknown, reason: string) =>
  reason !== '' && `${JSON.stringify(result)} ${logged.join(' ')}`.includes(reason);

/** Some hundred daemons are started, and thousands in a soak. */
const timeoutMs = 1_800_000;

describe('a daemon, of which every system call fails', () => {
  for (const operation of operations) {
    const prepare = async () => {
      logged.length = 0;
      mkdirSync(run, { mode: 0o700 });
    };
    const undo = async () => {
      for (const daemon of running.splice(0))
        await ignored(daemon.stop(), 'it may have ended already');
      // A PTY host outlives a daemon that left it to one that could not start.
      if (existsSync(run) && readdirSync(run).some((name) => name.endsWith('.ptyd')))
        await (await started(true)).stop();
      // A daemon waits for its files for a limited time, and that can end at once here.
      while (process.getActiveResourcesInfo().some((each) => each.startsWith('FSReq')))
        await nextTurn();
      for (const name of ['run', 'state', 'config', 'pid'])
        rmSync(join(root, name), { recursive: true, force: true });
    };
    const isSoak = process.env['VTR_TEST_SOAK'] === '1';
    provided(isSoak || operation !== hosted, 'only in npm run soak: starts hundreds of processes')(
      operation.name,
      async () => {
        const failing = { ...operation, prepare, undo, isReported };
        const { wrong, calls } = await failEveryCall(failing, root);
        expect(wrong).toEqual([]);
        expect(calls).toBeGreaterThan(0);
      },
      timeoutMs,
    );
  }
});
