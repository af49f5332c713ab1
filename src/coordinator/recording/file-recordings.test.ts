import { afterEach, expect, test } from 'vitest';
import { decodeUtf8 } from '#base';
import type { Session } from '#session';
import type { SessionRecorder } from '#watch';
import { FakePty } from '../../../test/support/pty/fake-pty.ts';
import { FakePtyHost } from '../../../test/support/pty/fake-pty-host.ts';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';
import { LocalCoordinator } from '../local-coordinator.ts';
import { FileRecordings } from './file-recordings.ts';
import type { FileOptions } from './recorders.ts';
import type {
  RecordingFile,
  RecordingStore,
  StoredChange,
  StoredRecording,
} from './recording-store.ts';

const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });

/** A store of which a test decides when its disk is full. */
class FakeStore implements RecordingStore {
  isFull = false;
  texts: string[] = [];
  /** Fails the write that a slow disk holds. */
  failLate: (() => void) | null = null;
  isSlow = false;
  readonly #all = new Map<string, StoredRecording>();

  list(): readonly StoredRecording[] {
    return [...this.#all.values()];
  }

  bytes(): number {
    return 0;
  }

  create(...[recording, { onFailed }]: Parameters<RecordingStore['create']>) {
    if (this.isFull) throw full;
    const stored = { ...recording, file: recording.file ?? `/${recording.id}`, end: null };
    this.#all.set(stored.id, stored);
    return { stored, file: this.#fileOf(onFailed) };
  }

  #fileOf(onFailed: (error: Error) => void): RecordingFile {
    let failure: Error | null = null;
    let written = Promise.resolve();
    return {
      bytes: 0,
      waitingBytes: 0,
      write: (lines) => {
        const fail = () => {
          failure = full;
          onFailed(full);
        };
        if (this.isSlow) {
          written = new Promise((resolve) => {
            this.failLate = () => {
              fail();
              resolve();
            };
          });
        } else if (this.isFull) fail();
        else this.texts.push(decodeUtf8(lines));
      },
      close: async () => {
        await written;
        return failure;
      },
    };
  }

  /** Has a recording of a session that another coordinator left, whose file ends with a line. */
  leave(sessionId: string, lastLine: string): void {
    const stored = {
      id: 'left',
      sessionId,
      session: 'a',
      file: '/left',
      startedAtMs: 0,
      end: null,
    };
    this.#all.set('left', { ...stored, version: 3, input: false });
    this.#lastLine = lastLine;
  }

  #lastLine = '';

  resume(...[, onFailed]: Parameters<RecordingStore['resume']>) {
    const content = () => new Uint8Array();
    return { file: this.#fileOf(onFailed), lastLine: this.#lastLine, content };
  }

  change(id: string, change: StoredChange): void {
    const stored = this.#all.get(id);
    if (stored !== undefined) this.#all.set(id, { ...stored, ...change });
  }

  rename(id: string, name: string): void {
    const stored = this.#all.get(id);
    if (stored !== undefined) this.#all.set(id, { ...stored, name });
  }

  remove(id: string): void {
    this.#all.delete(id);
  }
}

const opened: LocalCoordinator[] = [];
afterEach(() => Promise.all(opened.splice(0).map((each) => each.close())));

function coordinatorWith(files: FileOptions, sessionBytes = 1e6) {
  const faults: unknown[] = [];
  const coordinator = new LocalCoordinator({
    ptyHost: new FakePtyHost(),
    clock: new VirtualClock(),
    recording: { files, limits: { sessionBytes } },
    onFault: (error) => faults.push(error),
  });
  opened.push(coordinator);
  return { coordinator, faults };
}

const request = (name: string) => ({ name, program: 'x', cwd: '/' });

test('a file that could not be written to its end is not reported as complete', async () => {
  const store = new FakeStore();
  const { coordinator } = coordinatorWith({ store });
  const session = await coordinator.spawn({ ...request('a'), record: true });
  store.isFull = true;
  expect(await coordinator.stopRecording(session)).toMatchObject({
    state: 'stopped',
    reason: 'no space left on device (ENOSPC)',
  });
});

test('a file that fails while it is closed does not end the next recording of the session', async () => {
  const store = new FakeStore();
  const { coordinator } = coordinatorWith({ store });
  const session = await coordinator.spawn({ ...request('a'), record: true });
  store.isSlow = true;
  const stopped = coordinator.stopRecording(session);
  await expect.poll(() => store.failLate).not.toBeNull();
  store.isSlow = false;
  const { id } = await coordinator.startRecording(session, {});
  store.failLate?.();
  expect(await stopped).toMatchObject({ state: 'stopped' });
  expect((await coordinator.recordings()).find((each) => each.id === id)?.state).toBe('on');
});

test('a file that cannot be continued is closed, and its recording says why', async () => {
  const left: StoredRecording = {
    id: 'left',
    sessionId: 'a',
    session: 'a',
    file: '/left',
    version: 2,
    input: false,
    startedAtMs: 0,
    end: null,
  };
  const closed: string[] = [];
  const changed: unknown[] = [];
  const file: RecordingFile = {
    bytes: 0,
    waitingBytes: 0,
    write: () => {},
    close: async () => {
      closed.push('left');
      return null;
    },
  };
  const store: RecordingStore = Object.assign(new FakeStore(), {
    list: () => [left],
    resume: () => ({ file, lastLine: '', content: () => new Uint8Array() }),
    change: (...change: unknown[]) => void changed.push(change),
  });
  const recordings = new FileRecordings({
    clock: new VirtualClock(),
    store,
    rulesOf: () => [],
    maxBytes: 1e6,
    onFault: () => {},
  });
  await recordings.resume({ id: 'a' } as Session, {} as SessionRecorder, () => true);
  expect(changed).toMatchObject([['left', { end: { state: 'stopped' } }]]);
  expect(closed).toEqual(['left']);
});

test.each([
  ['is in the file if the PTY host keeps it', true, 7, 'second'],
  ['is named in the file if nobody keeps it', false, 7, '1 KB left out'],
  ['is not named if the file has more than the session', false, 99_999, '\\u001bc'],
])('output that was saved, but not written, %s', async (_, isKept, written, expected) => {
  const clock = new VirtualClock();
  const host = new FakePtyHost();
  const first = new LocalCoordinator({ ptyHost: host, clock });
  const { id } = await first.spawn(request('a'));
  host.pty(id).output('first\r\n');
  host.pty(id).output('second\r\n\x1b[2J');
  clock.advance(1_000);
  await first.close();
  // As of a host: what the saved state covers is not delivered again, but can be fetched.
  const chunks = isKept ? await host.pty(id).keptOutput(0) : [];
  const [adopted] = await new FakePtyHost(host).adopt();
  const offset = adopted?.saved.state?.offset ?? 0;
  expect(offset).toBe(adopted?.outputEnd);
  const pty = Object.assign(new FakePty(offset, chunks), { isSaved: true });
  const ptyHost = new FakePtyHost();
  ptyHost.adopt = async () => (adopted === undefined ? [] : [{ ...adopted, pty }]);
  const store = new FakeStore();
  store.leave(id, `# vtr {"offset":${written},"ms":250}`);
  const next = new LocalCoordinator({ ptyHost, clock, recording: { files: { store } } });
  opened.push(next);
  await next.adopt();
  const session = await next.info('a');
  await expect.poll(() => next.stopRecording(session)).toMatchObject({ state: 'ended' });
  expect(store.texts.join('')).toContain(expected);
  expect(store.texts.join('').includes('\\u001bc')).toBe(!isKept);
  expect(store.texts.join('').includes('left out')).toBe(expected.includes('left out'));
});

test('a full disk fails a session only if its recording is requested', async () => {
  const store = new FakeStore();
  const { coordinator, faults } = coordinatorWith({ store, all: true });
  store.isFull = true;
  await coordinator.spawn(request('a'));
  expect(faults).toEqual([full]);
  await expect(coordinator.spawn({ ...request('b'), record: true })).rejects.toThrow(/no space/);
});

test('all sessions are recorded if that is configured, published ones too', async () => {
  const { coordinator } = coordinatorWith({ store: new FakeStore(), all: true });
  await coordinator.spawn(request('a'));
  await coordinator.publish({ name: 'b', by: 'test' });
  await coordinator.spawn({ ...request('c'), record: false });
  const recorded = await coordinator.recordings();
  expect(recorded.map(({ session }) => session)).toEqual(['a', 'b']);
});

test('a file has markers also if nothing is recorded in memory', async () => {
  const store = new FakeStore();
  const { coordinator } = coordinatorWith({ store }, 0);
  const session = await coordinator.spawn({ ...request('a'), record: true });
  await coordinator.setMarker(session, 'here');
  await coordinator.stopRecording(session);
  expect(store.texts.join('')).toContain('"m", "here"');
  await expect(coordinator.setMarker(session, 'here')).rejects.toThrow(/not recorded in memory/);
});
