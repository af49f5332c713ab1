import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect } from 'vitest';
import { LocalCoordinator } from '#coordinator';
import type { ErrorCode } from '#model';
import { createPtyHost } from '#pty';
import { RecordingFiles } from '#store';
import { failEveryCall, type Operation } from '../support/faults/every-call.ts';
import { failingBinding } from '../support/faults/libc-calls.ts';
import { provided } from '../support/run/needs.ts';
import { tree } from '../support/tree.ts';

const root = tree({}, afterAll);
const directory = join(root, 'recordings');
const logged: string[] = [];
let coordinator: LocalCoordinator;

function opened(): LocalCoordinator {
  const bounds = { keep: 5, totalBytes: 1_000_000, maxAgeMs: 10_000 };
  const log = (line: string) => void logged.push(line);
  const store = new RecordingFiles(directory, { socket: '/a', bounds, wallMs: Date.now, log });
  return new LocalCoordinator({
    ptyHost: createPtyHost({}, () => failingBinding as NonNullable<typeof failingBinding>),
    recording: { files: { store } },
    defaults: { environment: { PATH: process.env['PATH'] ?? '' }, cwd: root },
    onFault: (error) => void logged.push(`fault: ${error}`),
  });
}

const spawnCat = () => coordinator.spawn({ name: 'one', program: 'cat' });

const spawnShell = async () => {
  const env = { PS1: '$ ', HISTFILE: '/dev/null', HOME: root };
  const args = ['--norc', '--noprofile'];
  await coordinator.spawn({ name: 'one', program: 'bash', args, env, shellIntegration: false });
  await coordinator.wait('one', { prompt: true, timeoutMs: 120_000 });
};

/** Some hundred programs are started, and thousands in a soak. */
const timeoutMs = 1_800_000;

/** Types a line, and returns how the wait for its echo ends. */
async function echo(): Promise<string> {
  await coordinator.sendText('one', 'hello\r');
  const { outcome } = await coordinator.wait('one', { screen: ['hello'], timeoutMs: 120_000 });
  return outcome;
}

const codes: readonly ErrorCode[] = [
  ...(['IO_ERROR', 'PTY_ERROR', 'SYSTEM_LIMIT', 'SPAWN_FAILED'] as const),
  ...(['CWD_NOT_FOUND', 'CWD_NOT_DIRECTORY', 'PROGRAM_NOT_EXECUTABLE'] as const),
];
/** What is written of output that is not known to be on the screen. */
const isReported = (result: unknown, reason: string) =>
  reason !== '' && `${JSON.stringify(result)} ${logged.join(' ')}`.includes(reason);

const operations: readonly Operation[] = [
  {
    name: 'a program is started, reads and writes, and is removed',
    codes,
    async act() {
      await spawnCat();
      const outcome = await echo();
      const { signal } = await coordinator.remove('one');
      return [outcome, signal !== null, (await coordinator.list()).length];
    },
  },
  {
    name: 'a session is listed, renamed, resized and read',
    codes,
    prepare: spawnCat,
    async act() {
      await coordinator.rename('one', 'two');
      await coordinator.resize('two', { cols: 100, rows: 30 });
      const [info] = await coordinator.list();
      const { size, text } = await coordinator.screen('two');
      return [info?.name, info?.state, size, text];
    },
  },
  {
    name: 'a program is ended by a signal',
    codes,
    prepare: spawnCat,
    async act() {
      await coordinator.kill('one', 'TERM');
      return (await coordinator.wait('one', { timeoutMs: 120_000 })).exitStatus;
    },
  },
  {
    name: 'a session is recorded',
    codes,
    prepare: spawnCat,
    async act() {
      const { id, file } = await coordinator.startRecording('one');
      await echo();
      const { state, reason } = await coordinator.stopRecording('one');
      const text = readFileSync(file, 'utf8');
      const listed = (await coordinator.recordings()).map((each) => each.state);
      const { name } = await coordinator.renameRecording(id, 'first');
      await coordinator.removeRecording('first');
      return [state, reason, listed, text.endsWith('\n'), name];
    },
    isReported,
  },
  {
    name: 'a shell runs a command',
    // Without a descriptor, it is unknown who reads the terminal.
    codes: [...codes, 'NOT_AT_PROMPT'],
    prepare: spawnShell,
    async act() {
      const { outcome, output } = await coordinator.run('one', { line: 'echo hello' });
      return [outcome, output.tail];
    },
    isReported: (result, reason) => {
      const [outcome, output] = result as [string, string];
      return outcome === 'timed_out' && (output === 'hello' || reason === '');
    },
  },
  {
    name: 'keys are sent, and a subscriber and a reader get the echo',
    codes,
    prepare: spawnCat,
    async act() {
      const subscription = await coordinator.subscribe('one');
      const { mark } = await coordinator.sendKeys('one', ['h', 'i', 'Enter']);
      let output = '';
      for await (const event of subscription) {
        if (event.type === 'output') output += Buffer.from(event.bytes).toString();
        if (output.endsWith('hi\r\nhi\r\n')) break;
      }
      const { text } = await coordinator.read('one', { since: mark });
      return [output, text, (await coordinator.activity('one')).state];
    },
  },
  {
    name: 'an ended session is revived',
    codes,
    async prepare() {
      await spawnCat();
      await coordinator.end('one');
    },
    async act() {
      await coordinator.revive('one');
      return echo();
    },
  },
  {
    name: 'the coordinator is closed',
    codes,
    prepare: spawnCat,
    act: () => coordinator.close(),
  },
];

/** A line that has failed for one operation does not for the next: each starts programs. */
const failed = new Set<string>();

describe('sessions, of which every system call fails', () => {
  for (const operation of operations) {
    const prepare = async () => {
      logged.length = 0;
      coordinator = opened();
      await operation.prepare?.();
    };
    const undo = async () => {
      await coordinator.close();
      rmSync(directory, { recursive: true, force: true });
    };
    provided(failingBinding !== null, 'needs the C library')(
      operation.name,
      async () => {
        const { wrong, calls } = await failEveryCall({ ...operation, prepare, undo }, root, failed);
        expect(wrong).toEqual([]);
        expect(calls).toBeGreaterThan(0);
      },
      timeoutMs,
    );
  }
});
