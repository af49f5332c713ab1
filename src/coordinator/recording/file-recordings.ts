import { randomBytes } from 'node:crypto';
import { type Clock, type Disposable, defined, quoted } from '#base';
import {
  checkRecordingName,
  checkStartRecording,
  type FileRecording as RecordingInfo,
  type StartRecordingRequest,
  systemReason,
  VtrError,
} from '#model';
import { parseCast, type SecretRule } from '#recording';
import type { Session } from '#session';
import type { SessionRecorder } from '#watch';
import { FileRecording } from './file-recording.ts';
import { headOf } from './record-session.ts';
import type {
  LeftRecording,
  RecordingEnd,
  RecordingStore,
  StoredRecording,
} from './recording-store.ts';

export interface FileRecordingsParts {
  readonly clock: Clock;
  /** Null: there is no place for files. */
  readonly store: RecordingStore | null;
  readonly rulesOf: (session: Session) => readonly SecretRule[];
  /** The limit of one file, in bytes. */
  readonly maxBytes: number;
  readonly onFault: (error: unknown) => void;
}

/** A recording that goes on. */
interface Running {
  readonly id: string;
  readonly recording: FileRecording;
  readonly listening: readonly Disposable[];
}

/** The recordings of sessions in files. A session has at most one that goes on. */
export class FileRecordings {
  readonly #parts: FileRecordingsParts;
  readonly #running = new Map<string, Running>();
  /** Recordings that are being closed. */
  readonly #ending = new Set<Promise<void>>();
  #isClosed = false;

  constructor(parts: FileRecordingsParts) {
    this.#parts = parts;
  }

  /** Contract: `Coordinator.startRecording`. */
  start(
    session: Session,
    recorder: SessionRecorder,
    request: StartRecordingRequest = {},
  ): RecordingInfo {
    checkStartRecording(request);
    const store = this.#store;
    const now = this.#running.get(session.id);
    if (now !== undefined) {
      const { file } = this.#info(this.#stored(now.id));
      throw new VtrError('INVALID_ARGUMENT', `the session is being recorded to ${file}; stop that`);
    }
    if (session.exitStatus !== null) {
      throw new VtrError('SESSION_NOT_RUNNING', 'the program has ended; save what is in memory');
    }
    const { clock } = this.#parts;
    const startedAtMs = clock.wallMs();
    const id = newId(startedAtMs);
    const version = request.format === 'v2' ? 2 : 3;
    const rules = this.#parts.rulesOf(session);
    const { stored, file } = store.create(
      {
        id,
        version,
        startedAtMs,
        sessionId: session.id,
        session: session.name,
        file: request.file ?? null,
        input: request.input ?? false,
      },
      {
        head: headOf(session, { size: session.info().size, startedAtMs }, version, rules),
        force: request.force ?? false,
        onFailed: (error) => this.#stop(session.id, id, stoppedBy(error)),
      },
    );
    const recording = this.#recordingOf(session, stored, file, clock.nowMs());
    recording.begin();
    this.#add(session, recorder, stored, recording);
    return this.#info(stored);
  }

  /** Contract: `Coordinator.stopRecording`. */
  async stop(session: Session): Promise<RecordingInfo> {
    const running = this.#running.get(session.id);
    if (running === undefined) {
      throw new VtrError('NOT_RECORDED', 'the session is not being recorded to a file');
    }
    await this.#end(session.id, { state: 'ended' });
    return this.#info(this.#stored(running.id));
  }

  /** Contract: `Coordinator.recordings`. */
  list(): readonly RecordingInfo[] {
    return (this.#parts.store?.list() ?? []).map((stored) => this.#info(stored));
  }

  /** Contract: `Coordinator.renameRecording`. */
  rename(recording: string, name: string): RecordingInfo {
    checkRecordingName(name);
    const { id } = this.#stored(recording);
    const other = this.#store.list().find((each) => each.id !== id && isCalled(each, name));
    if (other !== undefined) {
      const message = `the recording ${other.id} is called ${quoted(name)}; use another name`;
      throw new VtrError('INVALID_ARGUMENT', message);
    }
    this.#store.rename(id, name);
    return this.#info(this.#stored(id));
  }

  /** Contract: `Coordinator.removeRecording`. */
  remove(recording: string): void {
    const own = this.#store.list().find((each) => isCalled(each, recording));
    if (own?.end === null) {
      throw new VtrError('INVALID_ARGUMENT', 'the recording goes on; stop it first');
    }
    this.#store.remove(own?.id ?? recording);
  }

  /** The last recording of a session; undefined if there is none. */
  of(sessionId: string): RecordingInfo | undefined {
    const stored = this.#parts.store?.list().findLast((each) => each.sessionId === sessionId);
    return stored && this.#info(stored);
  }

  /**
   * Goes on with a recording that another coordinator left. Must be called when the session is restored.
   *
   * @param isCurrent whether the recorder is still that of the session
   */
  async resume(
    session: Session,
    recorder: SessionRecorder,
    isCurrent: () => boolean,
  ): Promise<void> {
    const left = this.#parts.store?.list().findLast((each) => each.sessionId === session.id);
    if (left === undefined || left.end !== null) return;
    try {
      await this.#resume(session, recorder, left, isCurrent);
    } catch (error) {
      this.#store.change(left.id, { end: stoppedBy(error) });
    }
  }

  /** Marks recordings as ended whose sessions do not exist any more. */
  endLost(sessionIds: ReadonlySet<string>): void {
    for (const { id, sessionId, end } of this.#parts.store?.list() ?? []) {
      if (end !== null || sessionIds.has(sessionId)) continue;
      this.#store.change(id, { end: { state: 'ended' } });
    }
  }

  /** Ends the recording of a session that has ended or is removed. */
  async sessionEnded(sessionId: string): Promise<void> {
    if (this.#running.has(sessionId)) await this.#end(sessionId, { state: 'ended' });
  }

  /** Writes everything. The recordings go on in the next coordinator if their sessions do. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const all = [...this.#running.values()];
    this.#running.clear();
    for (const { listening } of all) stopListening(listening);
    await Promise.all([...this.#ending, ...all.map(({ recording }) => recording.close())]);
  }

  get #store(): RecordingStore {
    if (this.#parts.store !== null) return this.#parts.store;
    throw new VtrError('NOT_RECORDED', 'this coordinator writes no files; use record save');
  }

  #stored(called: string): StoredRecording {
    const recording = this.#store.list().find((each) => isCalled(each, called));
    if (recording !== undefined) return recording;
    const message = `no recording has the id or name ${quoted(called)}`;
    throw new VtrError('RECORDING_NOT_FOUND', message);
  }

  #info({ end, version: _, input: __, ...stored }: StoredRecording): RecordingInfo {
    const running = this.#running.get(stored.sessionId);
    const written = running?.id === stored.id ? running.recording.bytes : null;
    return {
      ...stored,
      state: end?.state ?? 'on',
      bytes: written ?? this.#store.bytes(stored.id) ?? 0,
      ...defined({ reason: end?.reason, endedAtMs: end?.atMs }),
    };
  }

  async #resume(
    session: Session,
    recorder: SessionRecorder,
    left: StoredRecording,
    isCurrent: () => boolean,
  ): Promise<void> {
    const onFailed = (error: Error) => this.#stop(session.id, left.id, stoppedBy(error));
    const resumed = this.#store.resume(left.id, onFailed);
    const place = placeIn(resumed.lastLine);
    let isTried = false;
    const resume = () => {
      isTried = true;
      if (isCurrent() && !this.#isClosed && !this.#running.has(session.id)) {
        this.#continue(session, recorder, left, resumed, place);
        return;
      }
      void resumed.file.close();
      if (!this.#isClosed) this.#store.change(left.id, { end: { state: 'ended' } });
    };
    try {
      const { view } = session;
      // The session was saved after the file was written: the output in between is in the PTY host only.
      await view.withKeptOutput(place?.offset ?? view.outputEnd, resume).catch((error: unknown) => {
        if (isTried) throw error;
        resume();
      });
    } catch (error) {
      void resumed.file.close();
      throw error;
    }
  }

  #continue(
    session: Session,
    recorder: SessionRecorder,
    left: StoredRecording,
    { file, content }: LeftRecording,
    place: ReturnType<typeof placeIn>,
  ): void {
    const { clock } = this.#parts;
    // Only the beginning of a recording, and version 2, have no place.
    const atMs = place?.ms ?? lastMs(content());
    // The time in between is part of the recording.
    const beganMs = clock.nowMs() - Math.max(atMs, clock.wallMs() - left.startedAtMs);
    const recording = this.#recordingOf(session, left, file, beganMs, atMs);
    const { exitStatus: status, view } = session;
    if (place === null || !recordFrom(session, recording, place.offset)) {
      const missing = place === null ? 0 : view.outputEnd - place.offset;
      if (missing > 0) recording.leftOut(missing);
      else recording.redraw();
    }
    if (status !== null) {
      recording.changed({ type: 'exit', status, offset: view.outputEnd, atMs: clock.nowMs() });
    }
    this.#add(session, recorder, left, recording);
  }

  #recordingOf(
    session: Session,
    { id, version }: StoredRecording,
    file: ReturnType<RecordingStore['create']>['file'],
    beganMs: number,
    writtenMs = 0,
  ): FileRecording {
    const { clock, maxBytes, rulesOf } = this.#parts;
    const full = `its limit of ${maxBytes} bytes is reached`;
    const onFull = () => this.#stop(session.id, id, { state: 'stopped', reason: full });
    const rules = rulesOf(session);
    const parts = { source: session.view, clock, file, version, rules, maxBytes, beganMs, onFull };
    return new FileRecording(parts, writtenMs);
  }

  #add(
    session: Session,
    recorder: SessionRecorder,
    { id, input }: StoredRecording,
    recording: FileRecording,
  ): void {
    const listening = [recorder.add(recording)];
    if (input) listening.push(session.recordInput((bytes) => recording.input(bytes)));
    this.#running.set(session.id, { id, recording, listening });
  }

  /** Ends a recording that cannot go on. The session may have another one by now. */
  #stop(sessionId: string, id: string, end: RecordingEnd): void {
    if (this.#running.get(sessionId)?.id === id) void this.#end(sessionId, end);
  }

  async #end(sessionId: string, end: RecordingEnd): Promise<void> {
    const running = this.#running.get(sessionId);
    if (running === undefined) return;
    this.#running.delete(sessionId);
    stopListening(running.listening);
    const ending = this.#close(running, end);
    this.#ending.add(ending);
    await ending;
    this.#ending.delete(ending);
  }

  async #close({ id, recording }: Running, end: RecordingEnd): Promise<void> {
    try {
      const failure = await recording.close();
      const how = failure === null ? end : stoppedBy(failure);
      this.#store.change(id, { end: { ...how, atMs: this.#parts.clock.wallMs() } });
    } catch (error) {
      this.#parts.onFault(error);
    }
  }
}

const isCalled = ({ id, name }: StoredRecording, text: string): boolean =>
  id === text || name === text;

function stopListening(listening: readonly Disposable[]): void {
  for (const each of listening) each.dispose();
}

const stoppedBy = (error: unknown): RecordingEnd => ({
  state: 'stopped',
  reason: systemReason(error),
});

/** Returns an id that sorts by time: `20261123-101502-3fa9c1`. */
function newId(wallMs: number): string {
  const [date = '', time = ''] = new Date(wallMs).toISOString().split('T');
  const digits = `${date.replaceAll('-', '')}-${time.slice(0, 8).replaceAll(':', '')}`;
  return `${digits}-${randomBytes(3).toString('hex')}`;
}

/** Returns the offset and the time of the recording that a line of the file says; null if it says none. */
function placeIn(line: string): { readonly offset: number; readonly ms: number } | null {
  const [, offset, ms] = /^# vtr \{"offset":(\d+),"ms":(\d+)\}$/.exec(line) ?? [];
  return ms === undefined ? null : { offset: Number(offset), ms: Number(ms) };
}

/** Returns the time of the last event of a file, in ms. @throws VtrError INVALID_RECORDING */
function lastMs(file: Uint8Array): number {
  const { events, invalidLine } = parseCast(file);
  // Readers would not see what is written after that line.
  if (invalidLine !== undefined) {
    const { number, reason } = invalidLine;
    throw new VtrError('INVALID_RECORDING', `line ${number} of it is not valid: ${reason}`);
  }
  return events.at(-1)?.atMs ?? 0;
}

/** Records the output after an offset. Returns false if it is not kept. */
function recordFrom({ view }: Session, recording: FileRecording, from: number): boolean {
  let at = from;
  const parts: Uint8Array[] = [];
  for (const { offset, bytes } of view.rawOutput(from)) {
    if (offset !== at) return false;
    parts.push(bytes);
    at += bytes.length;
  }
  if (at !== view.outputEnd) return false;
  for (const bytes of parts) recording.output(bytes);
  return true;
}
