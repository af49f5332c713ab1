import type { Clock } from '#base';
import { type Sizing, sizings } from '#model';
import type { Session } from '#session';
import type { Registered, UnrestoredSession } from '../registry.ts';
import { type Asking, type Driving, type DrivingState, type Sized, undriven } from './driving.ts';
import { type DriversNote, SessionDriver } from './session-driver.ts';

export interface DriversOptions {
  readonly clock: Clock;
  /** For how long agents wait after a person has typed, in ms. */
  readonly waitForPersonMs: number;
  /** Whose windows size a session that does not say. */
  readonly sizing: Sizing;
  /** Saves who drives a session. */
  readonly save: (session: Session) => void;
  /** Called when a person begins or ends to drive a session. */
  readonly note: DriversNote;
  readonly onFault: (error: unknown) => void;
}

/** Who drives each session. */
export class Drivers {
  readonly #options: DriversOptions;
  readonly #drivers = new WeakMap<Registered, SessionDriver>();

  constructor(options: DriversOptions) {
    this.#options = options;
  }

  of(session: Registered): SessionDriver {
    const sessionDriver = this.#drivers.get(session);
    if (sessionDriver !== undefined) return sessionDriver;
    const driver = 'live' in session ? this.#left(session) : this.#new(session);
    this.#drivers.set(session, driver);
    return driver;
  }

  /** A session that another coordinator left is restored. */
  restored(unrestored: UnrestoredSession, session: Session): void {
    const driver = this.of(unrestored);
    this.#drivers.set(session, driver);
    driver.begin(session);
  }

  #new(session: Session): SessionDriver {
    const { save, sizing, ...options } = this.#options;
    const parts = { ...options, save: () => save(session), live: async () => session };
    const driver = new SessionDriver({ ...parts, state: { ...undriven, sizing } });
    driver.begin(session);
    return driver;
  }

  #left(unrestored: UnrestoredSession): SessionDriver {
    const { save, ...options } = this.#options;
    const { onFault } = options;
    const state = savedDriving(unrestored.facts.coordinator.driving) ?? undriven;
    const live = () => unrestored.live();
    const saveLive = () => void live().then(save).catch(onFault);
    return new SessionDriver({ ...options, save: saveLive, live, state });
  }
}

/** Returns null if the saved value is damaged. */
export function savedDriving(saved: unknown): DrivingState | null {
  const state = { ...undriven, ...object(saved) };
  const { epoch, driver, asking, present, note, takeovers, sizedBy } = state;
  const sizes = Array.isArray(state.sizes) ? state.sizes : [];
  const sizing = sizings.find((each) => each === state.sizing) ?? 'latest';
  if (typeof saved !== 'object' || saved === null || !isCount(epoch)) return null;
  const isWhole =
    (driver === null || isDriving(driver)) &&
    Array.isArray(asking) &&
    asking.every(isAsking) &&
    Array.isArray(present) &&
    present.every((viewer) => typeof viewer === 'string') &&
    isTextOrNull(note) &&
    Array.isArray(takeovers) &&
    takeovers.every((each) => isCount(each?.epoch) && typeof each.mark === 'string') &&
    isTextOrNull(sizedBy);
  // The epoch never goes back, whatever else is lost.
  return isWhole
    ? {
        epoch,
        driver: driver && { ...driver, holds: holdsOf(driver) },
        asking,
        present,
        note,
        takeovers,
        sizedBy,
        sizing,
        sizes: sizes.filter(isSized),
      }
    : { ...undriven, epoch: epoch + 1, sizing };
}

const object = (value: unknown): object =>
  typeof value === 'object' && value !== null ? value : {};

const isCount = (value: unknown): value is number =>
  Number.isSafeInteger(value) && Number(value) > 0;
const isTextOrNull = (value: unknown): boolean => value === null || typeof value === 'string';

function isDriving(value: Partial<Driving>): value is Driving {
  const { kind, name, viewer, sinceWallMs, activeAtMs, activeWallMs, note, takenFrom } = value;
  const { handedBy = '' } = value;
  return (
    (kind === 'agent' || kind === 'person') &&
    typeof name === 'string' &&
    [sinceWallMs, activeAtMs, activeWallMs].every((each) => typeof each === 'number') &&
    [viewer, note].every(isTextOrNull) &&
    typeof handedBy === 'string' &&
    (takenFrom === undefined ||
      (typeof takenFrom?.viewer === 'string' && typeof takenFrom.name === 'string'))
  );
}

const isAsking = (value: Partial<Asking> | null): boolean =>
  typeof value?.viewer === 'string' &&
  typeof value.name === 'string' &&
  typeof value.atMs === 'number';

const isSized = (value: Partial<Sized> | null): value is Sized =>
  isTextOrNull(value?.name) && isCount(value?.cols) && isCount(value?.rows);

/** A version that knew no holders saved persons who held the session. */
const holdsOf = ({ holds, kind }: Driving): boolean => holds ?? kind === 'person';
