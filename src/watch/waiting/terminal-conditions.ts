import type { Disposable } from '#base';
import { clampWaitMs, defaultQuietMs } from '#model';
import type { Candidate, PatternList } from '../searching/pattern.ts';
import type { Watched } from '../watched.ts';
import { type Masks, Silence } from './quiet-activity.ts';
import type { Condition } from './wait.ts';

/** Met while a line of the shown screen matches, including text from before the wait. */
export function screenCondition(patterns: PatternList): Condition {
  return {
    start(watched, _clock, onMet) {
      const check = () => {
        const hit = patterns.find(shownLines(watched));
        if (hit !== null) onMet({ outcome: 'matched', ...hit });
      };
      check();
      return {
        onEvent: ({ type }) => (type === 'output' || type === 'resize') && check(),
        dispose() {},
      };
    },
  };
}

/**
 * Returns rows of the alternate screen, or lines of the primary one; the first may begin above it.
 */
function* shownLines(watched: Watched): Generator<Candidate> {
  if (watched.terminal.alternate) {
    for (const text of watched.screenRows()) yield whole(null, text);
  } else {
    for (const { line, text } of watched.lineTexts(
      watched.terminal.topLine,
      watched.terminal.endLine,
    )) {
      yield whole(line, text);
    }
  }
}

function whole(line: number | null, text: string): Candidate {
  return { line, text, from: 0, to: text.length };
}

/** Met when the title changes to one that matches. */
export function titleCondition(patterns: PatternList): Condition {
  return {
    start: (_watched, _clock, onMet) => ({
      onEvent(event) {
        if (event.type !== 'title') return;
        const hit = patterns.find([whole(null, event.title)]);
        if (hit !== null) onMet({ outcome: 'title', pattern: hit.pattern });
      },
      dispose() {},
    }),
  };
}

/** Met when the bell rings. */
export const bellRings: Condition = {
  start: (_watched, _clock, onMet) => ({
    onEvent: ({ type }) => type === 'bell' && onMet({ outcome: 'bell' }),
    dispose() {},
  }),
};

/** How long the alternate screen must be shown before it ends a wait, in ms. */
const fullScreenMs = 1_000;

/** Met when the alternate screen has been shown for {@link fullScreenMs}. */
export const fullScreenStays: Condition = {
  start(watched, clock, onMet) {
    let timer: Disposable | null = null;
    const check = () => {
      if (!watched.terminal.alternate) {
        timer?.dispose();
        timer = null;
      } else {
        timer ??= clock.schedule(fullScreenMs, () => onMet({ outcome: 'awaiting_input' }));
      }
    };
    check();
    return { onEvent: ({ type }) => type === 'output' && check(), dispose: () => timer?.dispose() };
  },
};

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
