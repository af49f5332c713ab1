import { clampWaitMs, defaultQuietMs } from '#model';
import type { Masks } from './screen-changes.ts';
import { Silence } from './silence.ts';
import type { Condition } from './wait.ts';

/** Met when the screen has not changed for `quietMs`, 0 to one day; see {@link Silence}. */
export function idleCondition(quietMs: number, masks: Masks): Condition {
  const forMs = clampWaitMs(quietMs, defaultQuietMs);
  return {
    start: (watched, clock, onMet) => {
      const silence = new Silence(watched, masks, clock, () =>
        onMet({ outcome: 'idle', masked: silence.masked }),
      );
      silence.until(forMs);
      return {
        onEvent: (event) => silence.onEvent(event),
        dispose: () => silence.dispose(),
      };
    },
  };
}
