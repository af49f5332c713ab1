import { clampWaitMs, defaultQuietMs } from '#model';
import type { Masks } from './screen-changes.ts';
import { Silence } from './silence.ts';
import type { Condition } from './wait.ts';

/**
 * Met when the screen has not changed for `quietMs`, 0 to one day; see {@link Silence}.
 *
 * @param written settles when the input that is sent with the wait is written: Enter may follow text later, and
 * until then the screen can be quiet
 */
export function idleCondition(
  quietMs: number,
  masks: Masks,
  written?: Promise<unknown>,
): Condition {
  const forMs = clampWaitMs(quietMs, defaultQuietMs);
  return {
    start: (watched, clock, onMet) => {
      const silence = new Silence(watched, masks, clock, () =>
        onMet({ outcome: 'idle', masked: silence.masked }),
      );
      const begin = () => {
        silence.restart();
        silence.until(forMs);
      };
      if (written === undefined) begin();
      else written.then(begin, begin);
      return {
        onEvent: (event) => silence.onEvent(event),
        dispose: () => silence.dispose(),
      };
    },
  };
}
