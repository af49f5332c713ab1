import type { Clock, Disposable } from '#base';
import {
  checkMarker,
  checkRecordFormat,
  parseTimeRef,
  type RecordRequest,
  type SessionRecord,
  type TimeRef,
  VtrError,
} from '#model';
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
} from '#watch';
import type { Registry } from '../registry.ts';
import { EarlierState } from './earlier-state.ts';
import { recordSession } from './record-session.ts';
import { Turns } from './turns.ts';

export interface RecordersOptions {
  readonly clock: Clock;
  readonly registry: Registry;
  readonly limits: RecordingLimits;
}

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

  constructor({ clock, registry, limits }: RecordersOptions) {
    this.#clock = clock;
    this.#memory = new RecordingMemory(limits);
    registry.onChange(({ type, session }) => {
      if (type === 'removed') this.#end(session.id);
      else if (!('live' in session)) this.#begin(session);
    });
  }

  /** Sets a marker. @throws VtrError INVALID_ARGUMENT, NOT_RECORDED */
  mark(session: Session, label: string): void {
    this.#ringOf(session);
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
    const data = await recordSession(session, moment, format);
    return { data, sinceMs: first?.begin.wallMs ?? 0, begins };
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
  ): Promise<T> {
    const turns = new Turns();
    const moment = this.#momentOf(session, at);
    return use(await EarlierState.at(session, moment, turns), turns);
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
    const recorder = new SessionRecorder(view, this.#clock);
    const isOn = this.#memory.limits.sessionBytes > 0;
    const begins = session.restored === null ? 'start' : 'restart';
    const ring = isOn ? new RecordingRing(view, this.#clock, this.#memory, begins) : null;
    if (ring !== null) recorder.add(ring);
    const dispose = () => {
      recorder.dispose();
      ring?.dispose();
    };
    this.#recorded.set(session.id, { recorder, ring, dispose });
  }

  #end(id: string): void {
    this.#recorded.get(id)?.dispose();
    this.#recorded.delete(id);
  }
}
