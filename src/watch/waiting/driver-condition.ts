import type { Disposable } from '#base';
import type { DriverState } from '#model';
import type { Condition } from './wait.ts';

/** Who drives a session. */
export interface DriverSource {
  state(): DriverState;
  /** Calls `listener` after each change. */
  onChange(listener: () => void): Disposable;
}

/** No person drives. Without a source, nobody can. */
export const notDriven = (source: DriverSource = undriven): Condition => ({
  start(_watched, _clock, onMet) {
    const check = () => {
      const driver = source.state();
      if (driver.driver?.kind !== 'person') onMet({ outcome: 'driver', driver });
    };
    const changes = source.onChange(check);
    check();
    return { onEvent: () => {}, dispose: () => changes.dispose() };
  },
});

const undriven: DriverSource = {
  state: () => ({ driver: null, epoch: 1 }),
  onChange: () => ({ dispose: () => {} }),
};
