import type { Clock, Disposable } from '#base';
import {
  checkMarker,
  checkRecordFormat,
  defaultLimits,
  type FileRecording,
  parseTimeRef,
  type RecordRequest,
  type SessionRecord,
  type SpawnRequest,
  type StartRecordingRequest,
  type TimeRef,
  VtrError,
} from '#model';
import type { SecretRule } from '#recording';
import type { Session } from '#session';
import {
  type Moment,
  momentAt,
  momentNow,
  type RecordingLimits,
  RecordingMemory,
  RecordingRing,
  SessionRecorder,
  sinceMs,
  type Transcript,
} from '#watch';
import type { Redaction } from '../redacting/redaction.ts';
import type { TextRules } from '../redacting/redactions.ts';
import type { Registered, Registry } from '../registry.ts';
import { EarlierState, Turns } from './earlier-state.ts';
import { FileRecordings } from './file-recordings.ts';
import { recordSession } from './record-session.ts';
import type { RecordingStore } from './recording-store.ts';
import { type RedactionOptions, SessionSecrets } from './session-secrets.ts';
import { transcriptOf } from './transcript-replay.ts';

export interface RecordersOptions {
  readonly clock: Clock;
  readonly registry: Registry;
  readonly limits: RecordingLimits;
  readonly redaction: RedactionOptions;
  readonly files: FileOptions;
  readonly onFault: (error: unknown) => void;
}

/** Recordings in files. */
export interface FileOptions {
  /** Default: none; a request for a file fails. */
  readonly store?: RecordingStore;
  /** The limit of one file, in bytes. Default: 256 MiB. */
  readonly maxBytes?: number;
  /** Whether each session is recorded to a file from its beginning on. Default: false. */
  readonly all?: boolean;
}

type StartedWith = Pick<SpawnRequest, 'record' | 'recordInput'>;

interface Recorded extends Disposable {
  readonly recorder: SessionRecorder;
  /** Null if recording in memory is turned off. */
  readonly ring: RecordingRing | null;
}

/** What happens in the sessions, from the beginning of each on: in memory, within limits. */
export class Recorders {
  readonly #clock: Clock;
  readonly #memory: RecordingMemory;
  readonly #recorded = new Map<string, Recorded>();
  readonly #secrets: SessionSecrets;
  readonly #files: FileRecordings;
  readonly #recordsAll: boolean;
  readonly #onFault: (error: unknown) => void;

  /** @throws VtrError INVALID_PATTERN */
  constructor({ clock, registry, limits, redaction, files, onFault }: RecordersOptions) {
    const { store = null, maxBytes = defaultLimits.recordingFileBytes, all = false } = files;
    this.#clock = clock;
    this.#memory = new RecordingMemory(limits);
    this.#secrets = new SessionSecrets(redaction, process.env);
    const rulesOf = (session: Session) => this.#secrets.rulesOf(session);
    this.#files = new FileRecordings({ clock, store, rulesOf, maxBytes, onFault });
    this.#recordsAll = all;
    this.#onFault = onFault;
    registry.onChange(({ type, session }) => {
      if (type === 'removed') this.#end(session.id);
      else if (!('live' in session)) this.#begin(session);
    });
  }

  /**
   * Notes what a session was started with, before its output is recorded, and records it to a file if that
   * is requested or configured.
   *
   * @throws VtrError IO_ERROR, NOT_RECORDED if it is requested and cannot be done
   */
  started(session: Session, { record, recordInput: input = false }: StartedWith): void {
    if (record) this.start(session, { input });
    else if (record === undefined && this.#recordsAll) this.#tryStart(session);
  }

  /** No session must fail because the disk is full. */
  #tryStart(session: Session): void {
    try {
      this.start(session);
    } catch (error) {
      this.#onFault(error);
    }
  }

  /** Contract: `Coordinator.startRecording`. */
  start(session: Session, request?: StartRecordingRequest): FileRecording {
    const recorded = this.#recorded.get(session.id);
    if (recorded === undefined) throw new VtrError('NOT_RECORDED', 'the session is being removed');
    return this.#files.start(session, recorded.recorder, request);
  }

  /** Contract: `Coordinator.stopRecording`. */
  stop(session: Session): Promise<FileRecording> {
    return this.#files.stop(session);
  }

  /** The recordings in files, of all sessions. */
  get files(): Pick<FileRecordings, 'list' | 'rename' | 'remove' | 'of' | 'endLost' | 'close'> {
    return this.#files;
  }

  /** Sets a marker. @throws VtrError INVALID_ARGUMENT, NOT_RECORDED */
  mark(session: Session, label: string): void {
    if (this.#files.of(session.id)?.state !== 'on') this.#ringOf(session);
    this.#recorded.get(session.id)?.recorder.mark(checkMarker(label));
  }

  /** Notes something in the recordings, if there are any. */
  note(session: Session, label: string): void {
    this.#recorded.get(session.id)?.recorder.mark(label);
  }

  /** Contract: `Coordinator.record`. */
  async record(session: Session, { format = 'v3' }: RecordRequest): Promise<SessionRecord> {
    checkRecordFormat(format);
    const moment = this.#now(session);
    const { begins } = this.#ringOf(session);
    const [first] = moment.segments;
    this.#secrets.learn(session);
    const rules = this.#secrets.rulesOf(session);
    const data = await recordSession(session, moment, format, rules);
    return { data, sinceMs: first?.begin.wallMs ?? 0, begins };
  }

  /** The rules for the secrets of a session, for what readers get. */
  readingRulesOf(session: Registered): readonly SecretRule[] {
    return this.#secrets.readingRulesOf(session);
  }

  /** The rules for text that belongs to no session. */
  readonly textRules: TextRules = (...of) => this.#secrets.textRules(...of);

  /** Learns the secrets that a session has shown until now. */
  learnSecrets(session: Session): void {
    this.#secrets.learn(session);
  }

  /** When the recording of a session begins, in ms since 1970; null if nothing is recorded. */
  sinceMs(session: Session): number | null {
    const ring = this.#recorded.get(session.id)?.ring ?? null;
    return ring && sinceMs(ring);
  }

  /**
   * Calls `use` with the session as it was at a time.
   *
   * @throws VtrError INVALID_ARGUMENT, NOT_RECORDED, COMMAND_NOT_FOUND
   */
  async at<T>(
    session: Session,
    at: TimeRef,
    use: (state: EarlierState, turns: Turns) => Promise<T> | T,
    redaction: Redaction | null = null,
  ): Promise<T> {
    const turns = new Turns();
    const moment = this.#momentOf(session, at);
    return use(await EarlierState.at(session, moment, turns, redaction), turns);
  }

  /**
   * Returns what a session has shown on the alternate screen, as far as it is recorded.
   *
   * @throws VtrError INVALID_ARGUMENT, NOT_RECORDED, COMMAND_NOT_FOUND
   */
  async transcript(session: Session, at: TimeRef | undefined): Promise<Transcript> {
    const moment = at === undefined ? this.#now(session) : this.#momentOf(session, at);
    return transcriptOf(session.facts.terminal, moment, new Turns());
  }

  #momentOf(session: Session, at: TimeRef): Moment {
    const ref = parseTimeRef(at, this.#clock.wallMs());
    if (ref.type !== 'command') return momentAt(this.#ringOf(session), ref);
    const { number: command, state } = session.command(ref.command);
    if (state === 'running') return this.#now(session);
    return momentAt(this.#ringOf(session), { type: 'command', command });
  }

  #now(session: Session): Moment {
    const ring = this.#ringOf(session);
    ring.begin();
    const moment = momentNow(ring);
    if (moment !== null) return moment;
    throw new VtrError('NOT_RECORDED', 'nothing is recorded while a frame is drawn; try again');
  }

  #ringOf({ id }: Session): RecordingRing {
    const ring = this.#recorded.get(id)?.ring ?? null;
    if (ring !== null) return ring;
    const message = 'sessions are not recorded in memory; set recording_memory in server.toml';
    throw new VtrError('NOT_RECORDED', message);
  }

  #begin(session: Session): void {
    this.#end(session.id);
    const { view } = session;
    this.#secrets.begin(session);
    const recorder = new SessionRecorder(view, this.#clock);
    const isOn = this.#memory.limits.sessionBytes > 0;
    const begins = session.restored === null ? 'start' : 'restart';
    const ring = isOn ? new RecordingRing(view, this.#clock, this.#memory, begins) : null;
    if (ring !== null) recorder.add(ring);
    // After the recorder, which records the exit.
    const exit = view.onEvent(({ type }) => {
      if (type === 'exit') void this.#files.sessionEnded(session.id);
    });
    const dispose = () => {
      exit.dispose();
      recorder.dispose();
      ring?.dispose();
    };
    this.#recorded.set(session.id, { recorder, ring, dispose });
    if (session.restored !== null) void this.#resume(session, recorder);
  }

  /** Goes on with a file when the session is as its program left it. */
  async #resume(session: Session, recorder: SessionRecorder): Promise<void> {
    await session.replayed;
    const isCurrent = () => this.#recorded.get(session.id)?.recorder === recorder;
    if (isCurrent()) await this.#files.resume(session, recorder, isCurrent);
    if (session.exitStatus !== null) await this.#files.sessionEnded(session.id);
  }

  #end(id: string): void {
    this.#recorded.get(id)?.dispose();
    this.#recorded.delete(id);
    void this.#files.sessionEnded(id);
  }
}
