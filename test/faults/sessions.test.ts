import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, vi } from 'vitest';
import { LocalCoordinator } from '#coordinator';
import { loadLibc } from '#libc';
import type { ErrorCode } from '#model';
import { createPtyHost } from '#pty';
import { RecordingFiles } from '#store';
import { LibcBinding } from '../../src/pty/libc/libc-binding.ts';
import { failEveryCall, type Operation } from '../support/faults/every-call.ts';
import { failingLibc } from '../support/faults/libc-calls.ts';
import { provided } from '../support/run/needs.ts';
import { tree } from '../support/tree.ts';

const uninstall = await vi.hoisted(async () => {
  const { vi } = await import('vitest');
  // Modules may keep a function of Node from when they are loaded.
  vi.resetModules();
  const calls = await import('../support/faults/system-calls.ts');
  return calls.install();
});
afterAll(uninstall);

const root = tree({}, afterAll);
const directory = join(root, 'recordings');
const logged: string[] = [];
const binding = bindingOf();
let coordinator: LocalCoordinator;

function bindingOf(): LibcBinding | null {
  try {
    return LibcBinding.on(failingLibc(loadLibc()));
  } catch {
    return null;
  }
}

function opened(): LocalCoordinator {
  const bounds = { keep: 5, totalBytes: 1_000_000, maxAgeMs: 10_000 };
  const log = (line: string) => void logged.push(line);
  const store = new RecordingFiles(directory, { socket: '/a', bounds, wallMs: Date.now, log });
  return new LocalCoordinator({
    ptyHost: createPtyHost({}, () => binding as LibcBinding),
    recording: { files: { store } },
    defaults: { environment: { PATH: process.env['PATH'] ?? '' }, cwd: root },
    onFault: (error) => void logged.push(`fault: ${error}`),
  });
}

const spawnCat = () => coordinator.spawn({ name: 'one', program: 'cat' });

/** Some hundred programs are started. */
const timeoutMs = 600_000;

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
      return [outcome, await coordinator.remove('one'), (await coordinator.list()).length];
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
      await coordinator.removeRecording(id);
      return [state, reason, listed, text.endsWith('\n')];
    },
    isReported,
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
    provided(binding !== null, 'needs the C library')(
      operation.name,
      async () => {
        const { wrong, failed } = await failEveryCall({ ...operation, prepare, undo }, root);
        expect(wrong).toEqual([]);
        expect(failed).toBeGreaterThan(0);
      },
      timeoutMs,
    );
  }
});
