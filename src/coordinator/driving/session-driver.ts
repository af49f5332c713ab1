import { randomUUID } from 'node:crypto';
import { type Clock, type Disposable, defined, Emitter } from '#base';
import {
  asVtrError,
  checkInputId,
  checkNote,
  type DriverState,
  driverName,
  type GiveRequest,
  type PersonTyped,
  type Sender,
  type SessionInfo,
  type Size,
  type Sizing,
  type TakeRequest,
  type ViewingState,
  type ViewRequest,
  type VtrError,
} from '#model';
import type { InputGate, Session } from '#session';
import { markNow } from '#watch';
import { inSession } from '../registry.ts';
import {
  absentMs,
  askedFor,
  came,
  type DrivingState,
  driverState,
  ended,
  handedBack,
  handedTo,
  holderOf,
  isHeldFrom,
  left,
  lostAtMs,
  type Moment,
  notDriver,
  noticeMs,
  type Person,
  passed,
  type Refusal,
  refusalOf,
  resized,
  shownDriver,
  sizersOf,
  type Typist,
  taken,
  typed,
  typedBy,
  typedSince,
  unasked,
  untilMs,
} from './driving.ts';
import { LocalViewing, type ViewingActions, type ViewingSpans } from './local-viewing.ts';
import {
  checkDrivable,
  checkMayTake,
  checkView,
  freeName,
  type HandOver,
  isDrivable,
  receiverOf,
  sizeOfWindows,
} from './viewers.ts';

/** @param done by the person of that name */
export type DriversNote = (session: Session, name: string, done: 'took over' | 'gave back') => void;

export interface SessionDriverParts {
  readonly clock: Clock;
  /** See `DriversOptions`. */
  readonly waitForPersonMs: number;
  /** As another coordinator saved it; its viewings can continue. */
  readonly state: DrivingState;
  /** Returns the session, restored if needed. */
  readonly live: () => Promise<Session>;
  readonly save: () => void;
  /** See `DriversOptions`. */
  readonly note: DriversNote;
  /** Called with errors that no operation can report. */
  readonly onFault: (error: unknown) => void;
}

/** Who drives one session, and who sees it. */
export class SessionDriver implements InputGate {
  readonly #parts: SessionDriverParts;
  readonly #changes: Emitter<void>;
  readonly #viewings = new Map<string, LocalViewing>();
  /** The viewings that came to watch. */
  readonly #watchers = new Set<string>();
  /** The viewings that may not type: watchers that have not taken the session or have given it back, and those of an ended one. */
  readonly #watching = new Set<string>();
  /** Uses of the session, by viewing. */
  readonly #uses = new Map<string, Disposable>();
  readonly #actions: ViewingActions;
  #state: DrivingState;
  #session: Session | null = null;
  #timer: Disposable | null = null;
  /** Ends the viewings that another coordinator had and that have not continued. */
  #absent: Disposable | null = null;
  #sizing: Promise<void> = Promise.resolve();
  #isOver = false;

  constructor(parts: SessionDriverParts) {
    const { clock, state } = parts;
    this.#parts = parts;
    this.#state = state;
    this.#changes = new Emitter(parts.onFault);
    this.#actions = {
      take: (viewing, force) => this.#inSession((session) => this.#takeBy(viewing, force, session)),
      give: (viewing, request) =>
        this.#inSession((session) => this.#giveBy(viewing, request, session)),
      resized: (viewing) => this.#inSession(() => this.#windowResized(viewing)),
      looked: () => this.#announce(),
      left: (viewing) => this.#left(viewing),
    };
    const isAbsent =
      state.driver?.viewer != null || state.asking.length > 0 || state.present.length > 0;
    if (isAbsent) this.#absent = clock.schedule(absentMs, () => void this.#endAbsent());
    this.#schedule();
  }

  /** The session is there, and all its output. */
  begin(session: Session): void {
    this.#session = session;
    session.gate = this;
    session.beginAttended(this.#state.present.length > 0);
    session.view.onEvent(({ type }) => {
      if (type === 'exit') this.#set(ended(this.#state));
    });
    if (session.exitStatus !== null) this.#set(ended(this.#state));
  }

  /** The session continues an ended one, whose epoch it must not repeat. */
  continueFrom(epoch: number): void {
    this.#state = { ...this.#state, epoch: Math.max(epoch, this.#state.epoch) };
  }

  /** As it is saved; undefined before anyone drove. */
  get saved(): DrivingState | undefined {
    const { epoch, driver, note, present, sizing, sizes } = this.#state;
    const isUsed = epoch > 1 || driver !== null || note !== null || present.length > 0;
    return isUsed || sizes.length > 0 || sizing !== 'latest' ? this.#state : undefined;
  }

  get epoch(): number {
    return this.#state.epoch;
  }

  /** Adds its facts to those of the session. A list may have a thousand, so nothing is made that nobody needs. */
  addTo(info: { -readonly [Name in keyof SessionInfo]: SessionInfo[Name] }): void {
    const { driver, epoch, sizing } = passed(this.#state, this.#parts.clock.nowMs());
    info.driverEpoch = epoch;
    if (sizing !== 'latest') info.sizing = sizing;
    if (driver !== null) info.driver = shownDriver(driver, epoch);
    if (this.#viewings.size > 0) info.viewers = this.#viewers();
  }

  state(): DriverState {
    return driverState(passed(this.#state, this.#parts.clock.nowMs()));
  }

  /** See {@link typedSince}. */
  typedSince(epoch: number): PersonTyped | undefined {
    return typedSince(this.#state, epoch);
  }

  onChange(listener: () => void): Disposable {
    return this.#changes.on(listener);
  }

  /** Other windows size the session from now on. */
  setSizing(sizing: Sizing): void {
    if (sizing !== this.#state.sizing) this.#set({ ...this.#state, sizing });
  }

  check(sender: Sender): void {
    const nowMs = this.#parts.clock.nowMs();
    const refusal = refusalOf(this.#state, sender, this.#typist(sender.viewer), nowMs);
    if (refusal === null) return;
    throw this.#notDriver(refusal, sender.driverEpoch);
  }

  /**
   * A client resizes the session. After an agent's resize, the next person who types has the size of the window again.
   *
   * @throws VtrError as `check`
   */
  resizedBy(sender: Sender, size: Size): void {
    this.check(sender);
    const person = this.#typist(sender.viewer);
    const name = person?.name ?? driverName(sender.by, 'agent');
    const state = person === null ? { ...this.#state, sizedBy: null } : this.#state;
    this.#set(resized(state, { name, ...size }, this.#sizeNow(size), person !== null));
  }

  async send<T>(sender: Sender, write: () => Promise<T>): Promise<T> {
    this.check(sender);
    const { clock } = this.#parts;
    const before = this.#state;
    const by = driverName(sender.by, 'agent');
    const now = { nowMs: clock.nowMs(), wallMs: clock.wallMs() };
    const { viewer } = sender;
    const typist = this.#typist(viewer);
    if (viewer !== undefined && typist !== null) {
      this.#typed({ viewer, name: typist.name }, now);
      return write();
    }
    const stamped = typed(before, { ...sender, by }, now);
    this.#stamp(stamped);
    try {
      return await write();
    } catch (error) {
      // After any other error, none of the input was accepted.
      const isTyped = asVtrError(error).code === 'INPUT_TIMEOUT';
      if (!isTyped && this.#state === stamped) this.#stamp(before);
      throw error;
    }
  }

  #typist(viewer: string | undefined): Typist | null {
    const viewing = viewer === undefined ? undefined : this.#viewings.get(viewer);
    if (viewing === undefined) return null;
    return { name: viewing.viewer.name, watches: this.#watching.has(viewing.id) };
  }

  /** A person types: agents wait, and the size may become that of the window. */
  #typed(
    person: Person & { readonly viewer: string },
    now: Pick<Moment, 'nowMs' | 'wallMs'>,
  ): void {
    const session = this.#session;
    if (session === null) return;
    const before = this.#state;
    const typist = { ...person, waitMs: this.#parts.waitForPersonMs };
    const next = typedBy(before, typist, () => this.#moment(session), now);
    if (next.epoch !== before.epoch || next.sizedBy !== before.sizedBy) this.#set(next);
    else this.#stamp(next);
  }

  async take({ name, force = false, note }: TakeRequest, session: Session): Promise<DriverState> {
    const person = { name: driverName(name, 'person'), viewer: null, note: checkNote(note) };
    checkDrivable(session);
    if (!force && holderOf(this.#state) !== null) this.check({});
    this.#takeOver(person, session);
    await this.#sizing;
    return this.state();
  }

  async give({ note, epoch, to, name }: GiveRequest, session: Session): Promise<DriverState> {
    const left = checkNote(note);
    if (epoch !== undefined && epoch !== this.#state.epoch) {
      const refusal = holderOf(this.#state) === null ? 'old' : 'driven';
      throw this.#notDriver(refusal, epoch);
    }
    if (to === undefined) this.#set(handedBack(this.#state, left, this.#moment(session)));
    else {
      const by = driverName(name ?? holderOf(this.#state)?.name, 'person');
      this.#handTo({ to, by, from: null, note: left }, session);
    }
    await this.#sizing;
    return this.state();
  }

  async view(
    request: ViewRequest,
    session: Session,
    { use, look }: ViewingSpans,
  ): Promise<LocalViewing> {
    const { kind, id = randomUUID(), looking = kind !== 'ui', readOnly = false } = request;
    const as = readOnly ? 'watch' : (request.as ?? 'auto');
    const { cols, rows } = checkView(request);
    checkInputId(id);
    const before = this.#viewings.get(id);
    const continues = before !== undefined || this.#knows(id);
    const sinceMs = before?.viewer.sinceMs ?? this.#parts.clock.wallMs();
    const viewer = {
      name: freeName(this.#viewings, driverName(request.name, 'person'), id),
      kind,
      sinceMs,
      size: { cols, rows },
      ...defined({ readOnly: readOnly || undefined }),
    };
    const parts = { viewer, actions: this.#actions, look, first: this.#reported(null) };
    const viewing = new LocalViewing(id, parts);
    before?.end();
    this.#uses.get(id)?.dispose();
    this.#uses.set(id, use());
    this.#viewings.set(id, viewing);
    if (looking || kind !== 'ui') await viewing.look(looking);
    if (as === 'watch' && !this.#state.present.includes(id)) {
      this.#watchers.add(id);
      this.#watching.add(id);
    }
    if (continues) await this.#windowResized(viewing);
    else {
      if (request.sizing !== undefined) this.setSizing(request.sizing);
      await this.#join(viewing, as, session);
    }
    // Nobody was to be told of the end of an agent's drive before.
    if (this.#timer === null) this.#schedule();
    this.#announce();
    return viewing;
  }

  /** The next coordinator continues: nothing is given back. */
  detach(): void {
    this.#isOver = true;
    this.#timer?.dispose();
    this.#absent?.dispose();
  }

  /** The session is removed. */
  end(): void {
    this.detach();
    for (const viewing of this.#viewings.values()) viewing.end();
    for (const use of this.#uses.values()) use.dispose();
    this.#viewings.clear();
    this.#uses.clear();
  }

  async #join(
    viewing: LocalViewing,
    as: NonNullable<ViewRequest['as']>,
    session: Session,
  ): Promise<void> {
    if (as === 'watch') return;
    if (!isDrivable(session)) {
      this.#watching.add(viewing.id);
      return;
    }
    const isAlone = this.#state.present.every((each) => !this.#viewings.has(each));
    this.#came(viewing);
    if (as !== 'auto') await this.#takeBy(viewing, as === 'force', session);
    // The first who comes is taken for the last who typed.
    else if (isAlone && viewing.viewer.kind !== 'ui') this.#sizeBy(viewing);
    await this.#sizing;
  }

  async #takeBy(viewing: LocalViewing, force: boolean, session: Session): Promise<void> {
    checkDrivable(session);
    checkMayTake(viewing, session.name);
    this.#watching.delete(viewing.id);
    this.#came(viewing);
    const { id: viewer } = viewing;
    const { name } = viewing.viewer;
    const { nowMs } = this.#moment(session);
    const holder = holderOf(this.#state);
    if (holder?.viewer === viewer) this.#typed({ name, viewer }, this.#moment(session));
    else if (force || !isHeldFrom(this.#state, { name, watches: false }))
      this.#takeOver({ name, viewer }, session);
    else this.#set(askedFor(this.#state, { viewer, name, atMs: nowMs }));
    await this.#sizing;
  }

  async #giveBy(
    viewing: LocalViewing,
    { note, to }: Pick<GiveRequest, 'note' | 'to'>,
    session: Session,
  ): Promise<void> {
    const left = checkNote(note);
    if (to !== undefined) {
      this.check({ viewer: viewing.id });
      this.#handTo({ to, by: viewing.viewer.name, from: viewing.id, note: left }, session);
      return this.#sizing;
    }
    const holds = holderOf(this.#state)?.viewer === viewing.id;
    if (this.#watchers.has(viewing.id)) this.#watching.add(viewing.id);
    const isThere = this.#viewings.has(viewing.id);
    if (holds) this.#set(handedBack(this.#state, left, this.#moment(session), isThere));
    else if (left !== null) this.#set({ ...unasked(this.#state, viewing.id), note: left });
    else this.#set(unasked(this.#state, viewing.id));
    this.#announce();
    await this.#sizing;
  }

  /** Another viewer holds the session from now on. @throws VtrError see `Viewing.give` */
  #handTo(handOver: HandOver, session: Session): void {
    checkDrivable(session);
    const at = this.#moment(session);
    const receiver = receiverOf(this.#viewings, handOver, at.wallMs);
    const { id: viewer } = receiver;
    if (holderOf(this.#state)?.viewer === viewer) return;
    this.#watching.delete(viewer);
    this.#came(receiver);
    this.#set(handedTo(this.#state, { ...handOver, viewer, name: receiver.viewer.name }, at));
  }

  async #windowResized(viewing: LocalViewing): Promise<void> {
    if (sizersOf(this.#state).includes(viewing.id)) this.#size();
    this.#announce();
    await this.#sizing;
  }

  async #left(viewing: LocalViewing): Promise<void> {
    if (this.#isOver || this.#viewings.get(viewing.id) !== viewing) return;
    this.#viewings.delete(viewing.id);
    this.#watching.delete(viewing.id);
    this.#watchers.delete(viewing.id);
    this.#uses.get(viewing.id)?.dispose();
    this.#uses.delete(viewing.id);
    await this.#inSession((session) => this.#giveBy(viewing, {}, session));
    this.#set(left(this.#state, viewing.id));
    this.#announce();
  }

  /** Its person is at the terminal from now on. Who replies in the overview does not see the terminal. */
  #came({ id, viewer }: LocalViewing): void {
    if (viewer.kind !== 'ui') this.#set(came(this.#state, id));
  }

  #notDriver(refusal: Refusal, epoch: number | undefined): VtrError {
    const name = this.#session?.name ?? '';
    const { clock } = this.#parts;
    const now = { nowMs: clock.nowMs(), wallMs: clock.wallMs() };
    return notDriver(this.#state, refusal, { name, ...now, epoch });
  }

  /** Whether a viewing of another coordinator may type, holds the session or asks for it. */
  #knows(id: string): boolean {
    const { driver, asking, present } = this.#state;
    const isAsking = asking.some(({ viewer }) => viewer === id);
    return driver?.viewer === id || isAsking || present.includes(id);
  }

  async #endAbsent(): Promise<void> {
    const session = await this.#live();
    if (session === null) return;
    for (const { viewer } of this.#state.asking) {
      if (!this.#viewings.has(viewer)) this.#set(unasked(this.#state, viewer));
    }
    for (const viewer of this.#state.present) {
      if (!this.#viewings.has(viewer)) this.#set(left(this.#state, viewer));
    }
    const driving = holderOf(this.#state)?.viewer;
    if (driving == null || this.#viewings.has(driving)) return;
    this.#set(handedBack(this.#state, null, this.#moment(session)));
  }

  #takeOver(person: Person, session: Session): void {
    this.#set(taken(this.#state, person, this.#moment(session)));
  }

  /** Notes who has taken over or given back. */
  #note(before: DrivingState, next: DrivingState): void {
    const session = this.#session;
    if (session === null || session.exitStatus !== null || next.epoch === before.epoch) return;
    const [was, is] = [holderOf(before), holderOf(next)];
    // A person who types is not noted each time.
    if (was === null && is === null) return;
    this.#parts.note(
      session,
      (is ?? was)?.name ?? 'person',
      is === null ? 'gave back' : 'took over',
    );
  }

  /** A change that must be seen and saved. */
  #set(next: DrivingState): void {
    const before = this.#state;
    if (next === before || this.#isOver) return;
    this.#state = next;
    this.#note(before, next);
    this.#parts.save();
    this.#session?.attend(next.present.length > 0);
    const who = next.sizing === 'latest' ? 'sizedBy' : 'present';
    if (next.sizing !== before.sizing || next[who] !== before[who]) this.#size();
    this.#schedule();
    this.#announce();
  }

  #sizeBy(viewing: LocalViewing): void {
    this.#set({ ...this.#state, sizedBy: viewing.id });
    this.#size();
  }

  /** Gives the session the size of the windows that size it; without any it keeps its own. */
  #size(): void {
    const size = sizeOfWindows(this.#viewings, sizersOf(this.#state));
    if (size === null) return;
    this.#state = resized(this.#state, size, this.#sizeNow(size));
    this.#resize(size);
  }

  /** Returns the size of the session. @param usual while it is not restored */
  #sizeNow(usual: Size): Size {
    return this.#session?.view.terminal.size ?? usual;
  }

  /** Input is accepted, a thousand times a second: only a new driver is a change. */
  #stamp(next: DrivingState): void {
    const { driver: before } = this.#state;
    this.#state = next;
    const { driver } = next;
    if (this.#timer === null) this.#schedule();
    if (before?.name === driver?.name && before?.kind === driver?.kind) return;
    this.#announce();
  }

  #schedule(): void {
    this.#timer?.dispose();
    this.#timer = null;
    const atMs = this.#nextMs();
    if (atMs === null || this.#isOver) return;
    const { clock } = this.#parts;
    this.#timer = clock.schedule(Math.max(0, atMs - clock.nowMs()), () => {
      this.#timer = null;
      void this.#onTime();
    });
  }

  /** When the driver may change, or must be reported. */
  #nextMs(): number | null {
    const { driver } = this.#state;
    const lostMs = lostAtMs(this.#state);
    if (driver === null) return null;
    // Without viewers nobody is told of an agent, and `state` leaves out a lease that is over.
    const isTold = this.#viewings.size > 0 || driver.kind === 'person';
    if (lostMs === null) return isTold ? untilMs(driver) : null;
    const isFar = lostMs - noticeMs > this.#parts.clock.nowMs();
    return isFar ? lostMs - noticeMs : lostMs;
  }

  async #onTime(): Promise<void> {
    const session = await this.#live();
    if (session === null) return;
    const { nowMs } = this.#moment(session);
    const lostMs = lostAtMs(this.#state);
    if (lostMs !== null && nowMs >= lostMs) {
      this.#set(handedBack(this.#state, null, this.#moment(session)));
      return;
    }
    const next = passed(this.#state, nowMs);
    // Input may have moved the end.
    const isNotice = lostMs !== null && nowMs >= lostMs - noticeMs;
    if (isNotice || next !== this.#state) {
      this.#state = next;
      this.#announce();
    }
    this.#schedule();
  }

  #announce(): void {
    for (const viewing of this.#viewings.values()) viewing.report(this.#reported(viewing.id));
    this.#changes.emit();
  }

  #reported(id: string | null): ViewingState {
    const typist = this.#typist(id ?? undefined);
    const drives =
      typist !== null &&
      !typist.watches &&
      !isHeldFrom(this.#state, typist) &&
      this.#session?.exitStatus === null;
    const holds = id !== null && holderOf(this.#state)?.viewer === id;
    return {
      ...this.state(),
      drives,
      ...(holds && { holds: true as const }),
      name: (id !== null && this.#viewings.get(id)?.viewer.name) || '',
      viewers: this.#viewers(),
    };
  }

  #viewers() {
    return [...this.#viewings.values()].map(({ id, viewer }) =>
      this.#watching.has(id) ? { ...viewer, watches: true } : viewer,
    );
  }

  #moment({ view }: Session): Moment {
    const { clock } = this.#parts;
    return { nowMs: clock.nowMs(), wallMs: clock.wallMs(), mark: markNow(view) };
  }

  /** Resizes one after the other. A program that has ended keeps its size. */
  #resize(size: Size): void {
    const resize = async () => {
      const session = await this.#live();
      const { cols, rows } = session?.view.terminal.size ?? size;
      if (session === null || (cols === size.cols && rows === size.rows)) return;
      if (session.exitStatus === null) await session.resize(size);
    };
    this.#sizing = this.#sizing.then(resize).catch((error) => {
      if (asVtrError(error).code !== 'SESSION_NOT_RUNNING') this.#parts.onFault(error);
    });
  }

  async #inSession<T>(operation: (session: Session) => Promise<T>): Promise<T> {
    const session = this.#session ?? (await this.#parts.live());
    return inSession(session, () => operation(session));
  }

  /** Returns null if it cannot be restored, or is no longer here. */
  async #live(): Promise<Session | null> {
    if (this.#session === null) await this.#parts.live().catch(this.#parts.onFault);
    return this.#isOver ? null : this.#session;
  }
}
