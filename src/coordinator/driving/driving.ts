import { defined, durationText } from '#base';
import {
  agentDrivesMs,
  askedForMs,
  type DriverKind,
  type ReadMark,
  type Sender,
  type Size,
  takenForMs,
  VtrError,
} from '#model';

/** The one who types in a session. Times are of the monotonic clock. */
export interface Driving {
  readonly kind: DriverKind;
  readonly name: string;
  /** The viewing that drives; null for an agent, and for a person without one. */
  readonly viewer: string | null;
  /** In ms since 1970. */
  readonly sinceWallMs: number;
  /** When it typed last, or began. */
  readonly activeAtMs: number;
  /** The same in ms since 1970: its distance from the monotonic time is not exact. */
  readonly activeWallMs: number;
  /** For those who are refused meanwhile. */
  readonly note: string | null;
}

/** A person who asks the driving one for the session. */
export interface Asking {
  readonly viewer: string;
  readonly name: string;
  readonly atMs: number;
}

/** The driver of a session, as a plain JSON value. */
export interface DrivingState {
  /** See `DriverState.epoch`. */
  readonly epoch: number;
  readonly driver: Driving | null;
  /** In their order. Empty unless a person drives. */
  readonly asking: readonly Asking[];
  /** The viewings of the persons at the terminal: those that came to drive, or drove. */
  readonly present: readonly string[];
  /** What the last person left for the agent. */
  readonly note: string | null;
  /** The last times that a person took over: the epoch that began then, and where the output ended. */
  readonly takeovers: readonly { readonly epoch: number; readonly mark: ReadMark }[];
  /** The session's size before a person drove; null unless one does. */
  readonly sizeBefore: Size | null;
}

/** When and where something happens. */
export interface Moment {
  /** Monotonic. */
  readonly nowMs: number;
  readonly wallMs: number;
  /** The end of the output. */
  readonly mark: ReadMark;
  readonly size: Size;
}

export interface Person {
  readonly name: string;
  readonly viewer: string | null;
  readonly note?: string | null;
}

/** The most take-overs that are known. */
const maxTakeovers = 32;

export const undriven: DrivingState = {
  epoch: 1,
  driver: null,
  asking: [],
  present: [],
  note: null,
  takeovers: [],
  sizeBefore: null,
};

/** The person who drives; null if none does. */
export const personOf = ({ driver }: DrivingState): Driving | null =>
  driver?.kind === 'person' ? driver : null;

const drivesMs = ({ kind }: Driving): number => (kind === 'agent' ? agentDrivesMs : takenForMs);

/** When a driver loses the session unless it types: monotonic. */
export const untilMs = (driver: Driving): number => driver.activeAtMs + drivesMs(driver);

/** The same in ms since 1970. */
export const untilWallMs = (driver: Driving): number => driver.activeWallMs + drivesMs(driver);

/** `driven`: another person drives. `watching`: a viewing that does not drive. `old`: an older epoch. */
export type Refusal = 'driven' | 'watching' | 'old';

/** Returns why a sender may not type; null if it may. */
export function refusalOf(state: DrivingState, { viewer, driverEpoch }: Sender): Refusal | null {
  const person = personOf(state);
  const isHolder = driverEpoch === state.epoch && person?.viewer === null;
  const isDriver = viewer !== undefined && person?.viewer === viewer;
  if (person !== null && !isHolder && !isDriver) return 'driven';
  if (driverEpoch !== undefined && driverEpoch !== state.epoch) return 'old';
  return viewer === undefined || isDriver ? null : 'watching';
}

/** Someone who is not refused types. */
export function typed(
  state: DrivingState,
  { by = 'agent' }: Sender,
  { nowMs, wallMs }: Pick<Moment, 'nowMs' | 'wallMs'>,
): DrivingState {
  const { driver } = passed(state, nowMs);
  const active = { activeAtMs: nowMs, activeWallMs: wallMs };
  if (driver?.kind === 'person') return { ...state, driver: { ...driver, ...active } };
  const sinceWallMs = driver?.name === by ? driver.sinceWallMs : wallMs;
  const agent = { kind: 'agent', name: by, viewer: null, sinceWallMs, note: null } as const;
  return { ...state, driver: { ...agent, ...active } };
}

/** A person takes over from the one who drives. */
export function taken(
  state: DrivingState,
  { name, viewer, note = null }: Person,
  { nowMs, wallMs, mark, size }: Moment,
): DrivingState {
  const epoch = state.epoch + 1;
  return {
    epoch,
    driver: {
      kind: 'person',
      name,
      viewer,
      note,
      sinceWallMs: wallMs,
      activeAtMs: nowMs,
      activeWallMs: wallMs,
    },
    asking: state.asking.filter((each) => each.viewer !== viewer),
    present: state.present,
    note: null,
    takeovers: [...state.takeovers, { epoch, mark }].slice(-maxTakeovers),
    sizeBefore: state.sizeBefore ?? size,
  };
}

/** The driver gives back: to the first who asks, or to nobody. */
export function given(state: DrivingState, note: string | null, at: Moment): DrivingState {
  if (personOf(state) === null) return { ...state, driver: null, note: note ?? state.note };
  const [next] = state.asking;
  if (next !== undefined) return taken(state, next, at);
  return { ...state, epoch: state.epoch + 1, driver: null, note, sizeBefore: null };
}

/** A person asks for a session that another one drives. */
export function asked(state: DrivingState, asking: Asking): DrivingState {
  const isKnown = state.asking.some(({ viewer }) => viewer === asking.viewer);
  return isKnown || personOf(state) === null
    ? state
    : { ...state, asking: [...state.asking, asking] };
}

export function unasked(state: DrivingState, viewer: string): DrivingState {
  const asking = state.asking.filter((each) => each.viewer !== viewer);
  return asking.length === state.asking.length ? state : { ...state, asking };
}

/** A person comes to the terminal. */
export function came(state: DrivingState, viewer: string): DrivingState {
  return state.present.includes(viewer) ? state : { ...state, present: [...state.present, viewer] };
}

/** A person leaves the terminal. */
export function left(state: DrivingState, viewer: string): DrivingState {
  const present = state.present.filter((each) => each !== viewer);
  return present.length === state.present.length ? state : { ...state, present };
}

/** The program has ended: nobody drives any more. */
export function ended(state: DrivingState): DrivingState {
  if (state.driver === null) return state;
  const epoch = state.epoch + (personOf(state) === null ? 0 : 1);
  return { ...state, epoch, driver: null, asking: [], sizeBefore: null };
}

/** The lease of an agent is over. */
export function passed(state: DrivingState, nowMs: number): DrivingState {
  const { driver } = state;
  if (driver?.kind !== 'agent' || nowMs < untilMs(driver)) return state;
  return { ...state, driver: null };
}

/** When the person who drives loses the session unless it types; null if none drives. */
export function lostAtMs(state: DrivingState): number | null {
  const person = personOf(state);
  if (person === null) return null;
  const [first] = state.asking;
  if (first === undefined) return untilMs(person);
  return Math.min(untilMs(person), Math.max(first.atMs, person.activeAtMs) + askedForMs);
}

/** Returns the mark before what persons did after an epoch; null if none took over since. */
function markAfter({ takeovers }: DrivingState, epoch: number): ReadMark | null {
  return takeovers.find((each) => each.epoch > epoch)?.mark ?? null;
}

interface NotDriverFacts {
  /** The name of the session. */
  readonly name: string;
  /** Now, in ms since 1970. */
  readonly wallMs: number;
  /** That the input carried, if any. */
  readonly epoch: number | undefined;
}

/** The error of input that is refused: NOT_DRIVER; INVALID_ARGUMENT for an epoch that was never there. */
export function notDriver(
  state: DrivingState,
  refusal: Refusal,
  { name, wallMs, epoch }: NotDriverFacts,
): VtrError {
  const person = personOf(state);
  const note = person === null ? state.note : person.note;
  const mark = markAfter(state, epoch ?? state.epoch - 1);
  if (refusal === 'old' && epoch !== undefined && epoch > state.epoch) {
    const text = `epoch ${epoch} is not known: the epoch is ${state.epoch}`;
    return new VtrError('INVALID_ARGUMENT', text, { details: { name, epoch: state.epoch } });
  }
  return new VtrError('NOT_DRIVER', message(state, refusal, wallMs, epoch), {
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
  wallMs: number,
  epoch: number | undefined,
): string {
  if (refusal === 'watching') return 'this viewer does not drive; take over first';
  const person = personOf(state);
  if (person === null) {
    return (
      `a person has driven it since epoch ${epoch}${noteText(state.note)}; read what was done (from ` +
      `the mark), and decide again; the epoch is ${state.epoch}`
    );
  }
  const forMs = Math.max(0, wallMs - person.sinceWallMs);
  return (
    `${person.name} has driven it for ${durationText(forMs)}${noteText(person.note)}; ` +
    'wait until no person drives'
  );
}

const noteText = (note: string | null): string => (note === null ? '' : ` (note: ${note})`);
