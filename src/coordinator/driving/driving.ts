import { defined, durationText } from '#base';
import {
  agentDrivesMs,
  askedForMs,
  type Driver,
  type DriverKind,
  type DriverState,
  type PersonTyped,
  personTypesMs,
  type ReadMark,
  type Sender,
  type Size,
  type SizedBy,
  type Sizing,
  takenForMs,
  VtrError,
} from '#model';
import { unnumbered } from './viewers.ts';

/** The one who types in a session. Times are of the monotonic clock. */
export interface Driving {
  readonly kind: DriverKind;
  readonly name: string;
  /** The viewing in which a person types; null for an agent, and for a person without one. */
  readonly viewer: string | null;
  /** Whether a person holds the session, by a take. */
  readonly holds: boolean;
  /** For how long agents wait after the person has typed, in ms; absent for one who holds the session, and for an agent. */
  readonly waitMs?: number;
  /** In ms since 1970. */
  readonly sinceWallMs: number;
  /** When it typed last, or began. */
  readonly activeAtMs: number;
  /** The same in ms since 1970: its distance from the monotonic time is not exact. */
  readonly activeWallMs: number;
  /** For those who are refused meanwhile. */
  readonly note: string | null;
  /** Who held the session before, from whom it was taken by force, and gets it back. Absent for nobody. */
  readonly takenFrom?: Pick<Asking, 'viewer' | 'name'>;
  /** See `Driver.handedBy`. */
  readonly handedBy?: string;
}

/** A person who asks the driving one for the session. */
export interface Asking {
  readonly viewer: string;
  readonly name: string;
  readonly atMs: number;
}

/** A time at which a person took over or began to type. */
interface Takeover {
  /** The epoch that began then. */
  readonly epoch: number;
  /** Where the output ended. */
  readonly mark: ReadMark;
  /** Absent if an older version saved it. */
  readonly name?: string;
  /** In ms since 1970; absent if an older version saved it. */
  readonly atMs?: number;
}

/** The driver of a session, as a plain JSON value. */
export interface DrivingState {
  /** See `DriverState.epoch`. */
  readonly epoch: number;
  readonly driver: Driving | null;
  /** In their order. Empty unless a person holds the session. */
  readonly asking: readonly Asking[];
  /** The viewings of the persons at the terminal: those that may type. */
  readonly present: readonly string[];
  /** What the last person left for the agent. */
  readonly note: string | null;
  /** The last times that a person took over or began to type. */
  readonly takeovers: readonly Takeover[];
  /** The viewing in which was typed last, or that came first; null if there was none. */
  readonly sizedBy: string | null;
  /** Whose windows size the session. */
  readonly sizing: Sizing;
  /** Who gave it its size, and the one before: the newest last, at most two. */
  readonly sizes: readonly Sized[];
}

/** A size, and the name of who gave it to the session; null for the size with which it began. */
export interface Sized extends Size {
  readonly name: string | null;
}

/** When and where something happens. */
export interface Moment {
  /** Monotonic. */
  readonly nowMs: number;
  readonly wallMs: number;
  /** The end of the output. */
  readonly mark: ReadMark;
}

/** Someone who types in a viewing. */
export interface Typist {
  /** As other viewers see it: `ann (2)`. */
  readonly name: string;
  /** Whether the viewing only watches. */
  readonly watches: boolean;
}

export interface Person {
  readonly name: string;
  readonly viewer: string | null;
  readonly note?: string | null;
}

/** The most take-overs that are known one by one. */
const maxTakeovers = 32;

export const undriven: DrivingState = {
  epoch: 1,
  driver: null,
  asking: [],
  present: [],
  note: null,
  takeovers: [],
  sizedBy: null,
  sizing: 'latest',
  sizes: [],
};

/** The person who holds the session; null if none does. */
export const holderOf = ({ driver }: DrivingState): Driving | null =>
  driver?.holds === true ? driver : null;

/** The person who holds the session, or has just typed; null if none. */
const personOf = (state: DrivingState, nowMs: number): Driving | null => {
  const { driver } = passed(state, nowMs);
  return driver?.kind === 'person' ? driver : null;
};

/** Viewers of one account are numbered: `ann` and `ann (2)` are one person. */
const isSamePerson = (one: string, other: string): boolean => unnumbered(one) === unnumbered(other);

const drivesMs = ({ kind, holds, waitMs = personTypesMs }: Driving): number =>
  kind === 'agent' ? agentDrivesMs : holds ? takenForMs : waitMs;

/** For how long the viewings of another coordinator can continue, in ms. */
export const absentMs = 60_000;
/** Viewers are told of the end of a drive this time before it, in ms. */
export const noticeMs = 60_000;

/** When a driver stops to be one unless it types: monotonic. */
export const untilMs = (driver: Driving): number => driver.activeAtMs + drivesMs(driver);

/** The same in ms since 1970. */
const untilWallMs = (driver: Driving): number => driver.activeWallMs + drivesMs(driver);

/** The one who drives, for others. */
export const shownDriver = (driver: Driving, epoch: number): Driver => ({
  kind: driver.kind,
  name: driver.name,
  sinceMs: driver.sinceWallMs,
  epoch,
  untilMs: untilWallMs(driver),
  ...(driver.holds && { holds: true as const }),
  ...defined({ handedBy: driver.handedBy }),
});

/** What others are told of a state. */
export function driverState(state: DrivingState): DriverState {
  const { epoch, driver, note, takeovers, asking, sizes } = state;
  const { name = null, cols = 0, rows = 0 } = sizes.at(-1) ?? {};
  return {
    driver: driver && shownDriver(driver, epoch),
    epoch,
    ...defined({ note: driver?.note ?? note, mark: takeovers.at(-1)?.mark }),
    ...(asking[0] && { askedBy: asking[0].name }),
    ...(name !== null && { sizedBy: { name, cols, rows } }),
  };
}

/** The viewings whose windows size the session. */
export function sizersOf({ sizing, sizedBy, present }: DrivingState): readonly string[] {
  if (sizing === 'smallest') return present;
  return sizing === 'latest' && sizedBy !== null ? [sizedBy] : [];
}

/**
 * The session gets a size.
 *
 * @param before the size that it has
 * @param isBack whether it may get back the size before: then who gave it that size is told again
 */
export function resized(
  state: DrivingState,
  { name, cols, rows }: SizedBy,
  before: Size,
  isBack = false,
): DrivingState {
  const last = state.sizes.at(-1) ?? { name: null, ...before };
  if (last.cols === cols && last.rows === rows) {
    if (last.name === name || isBack) return state;
    return { ...state, sizes: [...state.sizes.slice(0, -1), { name, cols, rows }] };
  }
  const [first] = state.sizes;
  const isFirst = isBack && first !== undefined && first.cols === cols && first.rows === rows;
  return { ...state, sizes: [last, { name: isFirst ? first.name : name, cols, rows }] };
}

/** `driven`: a person holds the session or types. `watching`: a viewing that only watches. `old`: an older epoch. */
export type Refusal = 'driven' | 'watching' | 'old';

/** Whether another person holds the session. */
export function isHeldFrom(state: DrivingState, { name }: Typist): boolean {
  const holder = holderOf(state);
  return holder !== null && !isSamePerson(holder.name, name);
}

/**
 * Returns why a sender may not type; null if it may. A person may always, unless another one holds the session;
 * agents wait for people.
 *
 * @param typist of the sender's viewing; null for an agent, and for a viewing that is not known
 */
export function refusalOf(
  state: DrivingState,
  { viewer, driverEpoch }: Sender,
  typist: Typist | null,
  nowMs: number,
): Refusal | null {
  if (viewer !== undefined) {
    if (typist === null || typist.watches) return 'watching';
    return isHeldFrom(state, typist) ? 'driven' : null;
  }
  const person = personOf(state, nowMs);
  const isHolder = driverEpoch === state.epoch && person?.holds === true && person.viewer === null;
  if (person !== null && !isHolder) return 'driven';
  return driverEpoch !== undefined && driverEpoch !== state.epoch ? 'old' : null;
}

/** An agent that is not refused types; so does a person with the epoch of its take. */
export function typed(
  state: DrivingState,
  { by = 'agent' }: Sender,
  { nowMs, wallMs }: Pick<Moment, 'nowMs' | 'wallMs'>,
): DrivingState {
  const { driver } = passed(state, nowMs);
  const active = { activeAtMs: nowMs, activeWallMs: wallMs };
  if (driver?.kind === 'person') return { ...state, driver: { ...driver, ...active } };
  const sinceWallMs = driver?.name === by ? driver.sinceWallMs : wallMs;
  const agent = { kind: 'agent', name: by, viewer: null, holds: false } as const;
  return { ...state, driver: { ...agent, ...active, sinceWallMs, note: null } };
}

/** A person who is not refused types in a viewing. Who holds the session holds it there from now on. */
export function typedBy(
  state: DrivingState,
  { name, viewer, waitMs }: Person & { readonly viewer: string; readonly waitMs: number },
  moment: () => Moment,
  { nowMs, wallMs }: Pick<Moment, 'nowMs' | 'wallMs'>,
): DrivingState {
  const { driver } = passed(state, nowMs);
  const active = { activeAtMs: nowMs, activeWallMs: wallMs };
  if (driver?.kind === 'person' && (driver.viewer === viewer || driver.holds)) {
    // Who took it by a command holds it by that.
    const at = driver.viewer === null ? {} : { name, viewer };
    return { ...state, driver: { ...driver, ...active, ...at }, sizedBy: viewer };
  }
  return begun(state, { name, viewer, holds: false, waitMs }, moment());
}

/** A person takes the session, and holds it. */
export const taken = (state: DrivingState, person: Person, at: Moment): DrivingState =>
  begun(state, { ...person, holds: true, takenFrom: otherHolder(state, person.name) }, at);

function begun(
  state: DrivingState,
  {
    name,
    viewer,
    note = null,
    holds,
    takenFrom,
    handedBy,
    waitMs,
  }: Person & {
    readonly holds: boolean;
    readonly waitMs?: number;
    readonly takenFrom?: Driving['takenFrom'];
    readonly handedBy?: string;
  },
  { nowMs, wallMs, mark }: Moment,
): DrivingState {
  const epoch = state.epoch + 1;
  const active = { sinceWallMs: wallMs, activeAtMs: nowMs, activeWallMs: wallMs };
  return {
    epoch,
    driver: {
      kind: 'person',
      name,
      viewer,
      holds,
      note,
      ...active,
      ...defined({ takenFrom, handedBy, waitMs }),
    },
    asking: state.asking.filter((each) => each.viewer !== viewer),
    present: state.present,
    // What the last person wrote is still for the agent that types next.
    note: holds ? null : state.note,
    takeovers: limited([...state.takeovers, { epoch, mark, name, atMs: wallMs }]),
    sizedBy: viewer ?? state.sizedBy,
    sizing: state.sizing,
    sizes: state.sizes,
  };
}

/** Of the oldest ones too many, the later has the mark of the earlier: what was done since is never left out. */
function limited(takeovers: DrivingState['takeovers']): DrivingState['takeovers'] {
  const [oldest, second, ...rest] = takeovers;
  if (takeovers.length <= maxTakeovers || oldest === undefined || second === undefined)
    return takeovers;
  return [{ ...second, mark: oldest.mark }, ...rest];
}

/** Returns the person from whom `taker` takes the session by force; undefined if it holds it itself, or nobody does. */
function otherHolder(state: DrivingState, taker: string): Driving['takenFrom'] {
  const holder = holderOf(state);
  if (holder === null || holder.viewer === null || isSamePerson(holder.name, taker))
    return undefined;
  return { viewer: holder.viewer, name: holder.name };
}

/**
 * The one who holds the session gives back: to the first who asks, to the one from whom it was taken by force if that one
 * is still there, or to nobody.
 *
 * @param isByPerson whether the person gives back; false when its time is over, or its viewing
 */
export function handedBack(
  state: DrivingState,
  note: string | null,
  at: Moment,
  isByPerson = false,
): DrivingState {
  const holder = holderOf(state);
  if (holder === null) return { ...state, driver: null, note: note ?? state.note };
  const { takenFrom } = holder;
  const isThere = takenFrom !== undefined && state.present.includes(takenFrom.viewer);
  const next = state.asking[0] ?? (isByPerson && isThere ? takenFrom : undefined);
  if (next !== undefined) {
    const { viewer, name } = next;
    const handedBy = isByPerson ? holder.name : undefined;
    return begun(state, { viewer, name, note, holds: true, ...defined({ handedBy }) }, at);
  }
  return { ...state, epoch: state.epoch + 1, driver: null, note };
}

/**
 * A person hands the session to another one, who holds it from then on. When that one gives back, it is again of the person
 * from whom it was taken by force before, if anybody's.
 *
 * @param by the name of who hands it over
 */
export function handedTo(
  state: DrivingState,
  { by, ...person }: Person & { readonly by: string },
  at: Moment,
): DrivingState {
  const { takenFrom } = holderOf(state) ?? {};
  const isOther = takenFrom !== undefined && !isSamePerson(takenFrom.name, person.name);
  const before = isOther ? { takenFrom } : {};
  return begun(state, { ...person, holds: true, handedBy: by, ...before }, at);
}

/** A person asks for a session that another one holds. */
export function askedFor(state: DrivingState, asking: Asking): DrivingState {
  const isKnown = state.asking.some(({ viewer }) => viewer === asking.viewer);
  return isKnown || holderOf(state) === null
    ? state
    : { ...state, asking: [...state.asking, asking] };
}

export function unasked(state: DrivingState, viewer: string): DrivingState {
  const asking = state.asking.filter((each) => each.viewer !== viewer);
  return asking.length === state.asking.length ? state : { ...state, asking };
}

/** A person comes to the terminal, and may type. */
export function came(state: DrivingState, viewer: string): DrivingState {
  return state.present.includes(viewer) ? state : { ...state, present: [...state.present, viewer] };
}

/** A person leaves the terminal: agents do not wait for what was typed there. */
export function left(state: DrivingState, viewer: string): DrivingState {
  const present = state.present.filter((each) => each !== viewer);
  const isTypist = state.driver?.viewer === viewer && !state.driver.holds;
  const driver = isTypist ? null : state.driver;
  const isSame = present.length === state.present.length && driver === state.driver;
  return isSame ? state : { ...state, present, driver };
}

/** The program has ended: nobody drives any more. */
export function ended(state: DrivingState): DrivingState {
  const { driver } = state;
  if (driver === null) return state;
  const epoch = state.epoch + (driver.kind === 'person' ? 1 : 0);
  return { ...state, epoch, driver: null, asking: [] };
}

/** The time of an agent, or of a person who typed, is over. */
export function passed(state: DrivingState, nowMs: number): DrivingState {
  const { driver } = state;
  if (driver === null || driver.holds || nowMs < untilMs(driver)) return state;
  return { ...state, driver: null };
}

/** When the person who holds the session loses it unless it types; null if none holds it. */
export function lostAtMs(state: DrivingState): number | null {
  const person = holderOf(state);
  if (person === null) return null;
  const [first] = state.asking;
  if (first === undefined) return untilMs(person);
  return Math.min(untilMs(person), Math.max(first.atMs, person.activeAtMs) + askedForMs);
}

/** Returns the mark before what persons did after an epoch; null if none typed or took over since. */
function markAfter({ takeovers }: DrivingState, epoch: number): ReadMark | null {
  return takeovers.find((each) => each.epoch > epoch)?.mark ?? null;
}

/** The first person who has typed or taken over since an epoch; undefined if none has. */
export function typedSince({ takeovers }: DrivingState, epoch: number): PersonTyped | undefined {
  const first = takeovers.find((each) => each.epoch > epoch);
  if (first === undefined) return undefined;
  const { name = 'person', atMs: sinceMs = 0, mark } = first;
  return { name, sinceMs, mark };
}

interface NotDriverFacts {
  /** The name of the session. */
  readonly name: string;
  readonly nowMs: number;
  /** Now, in ms since 1970. */
  readonly wallMs: number;
  /** That the input carried, if any. */
  readonly epoch: number | undefined;
}

/** The error of input that is refused: NOT_DRIVER; INVALID_ARGUMENT for an epoch that was never there. */
export function notDriver(
  state: DrivingState,
  refusal: Refusal,
  { name, nowMs, wallMs, epoch }: NotDriverFacts,
): VtrError {
  const person = personOf(state, nowMs);
  const note = person === null ? state.note : person.note;
  const mark = markAfter(state, epoch ?? state.epoch - 1);
  if (refusal === 'old' && epoch !== undefined && epoch > state.epoch) {
    const text = `epoch ${epoch} is not known: the epoch is ${state.epoch}`;
    return new VtrError('INVALID_ARGUMENT', text, { details: { name, epoch: state.epoch } });
  }
  return new VtrError('NOT_DRIVER', message(state, refusal, person, wallMs, epoch), {
    details: {
      name,
      epoch: state.epoch,
      ...defined({ driver: person?.name, sinceMs: person?.sinceWallMs }),
      ...(mark !== null && refusal !== 'watching' && { mark }),
      ...defined({ note }),
    },
  });
}

function message(
  state: DrivingState,
  refusal: Refusal,
  person: Driving | null,
  wallMs: number,
  epoch: number | undefined,
): string {
  if (refusal === 'watching') return 'this viewer only watches; take over first';
  if (person === null) {
    return (
      `a person has typed since epoch ${epoch}${noteText(state.note)}; read what was done (from ` +
      `the mark), and decide again; the epoch is ${state.epoch}`
    );
  }
  const ago = (sinceMs: number): string => durationText(Math.max(0, wallMs - sinceMs));
  const what = person.holds
    ? `${person.name} has held it for ${ago(person.sinceWallMs)}${noteText(person.note)}`
    : `${person.name} typed ${ago(person.activeWallMs)} ago`;
  return `${what}; wait until no person drives`;
}

const noteText = (note: string | null): string => (note === null ? '' : ` (note: ${note})`);
