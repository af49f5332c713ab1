import type { Clock } from '#base';
import type { Session } from '#session';
import type { Registered, UnrestoredSession } from '../registry.ts';
import { undriven } from './driving.ts';
import { savedDriving } from './saved-driving.ts';
import { type DriversNote, SessionDriver } from './session-driver.ts';

export interface DriversOptions {
  readonly clock: Clock;
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
    const known = this.#drivers.get(session);
    if (known !== undefined) return known;
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
    const { clock, save, note, onFault } = this.#options;
    const parts = { clock, note, onFault, save: () => save(session), live: async () => session };
    const driver = new SessionDriver({ ...parts, state: undriven });
    driver.begin(session);
    return driver;
  }

  #left(unrestored: UnrestoredSession): SessionDriver {
    const { clock, save, note, onFault } = this.#options;
    const state = savedDriving(unrestored.facts.coordinator.driving) ?? undriven;
    const live = () => unrestored.live();
    const saveLive = () => void live().then(save).catch(onFault);
    return new SessionDriver({ clock, note, onFault, save: saveLive, live, state });
  }
}
