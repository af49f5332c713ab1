import type { PatternList } from '../searching/pattern-list.ts';
import type { Condition } from './wait.ts';

/** Holds when the title becomes one that matches. */
export function titleCondition(patterns: PatternList): Condition {
  return {
    start: (_watched, _clock, hold) => ({
      onEvent(event) {
        if (event.type !== 'title') return;
        const { title: text } = event;
        const found = patterns.find([{ line: null, text, from: 0, to: text.length }]);
        if (found !== null) hold({ outcome: 'title', pattern: found.pattern });
      },
      dispose() {},
    }),
  };
}

/** Holds when the bell rings. */
export const bellRings: Condition = {
  start: (_watched, _clock, hold) => ({
    onEvent: ({ type }) => type === 'bell' && hold({ outcome: 'bell' }),
    dispose() {},
  }),
};
