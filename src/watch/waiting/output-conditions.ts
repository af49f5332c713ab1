import type { Mark } from '../reading/read-mark.ts';
import { unreadParts } from '../reading/unread.ts';
import type { PatternList } from '../searching/pattern-list.ts';
import type { Watched } from '../watched.ts';
import type { Condition, Held } from './wait.ts';

/**
 * Holds when output makes a line match. Lines are as a person sees them: without escape sequences,
 * and whole where they wrap. Of a line that stood there before, a match has to show something that
 * was printed since.
 */
export function textCondition(patterns: PatternList, outcome: 'matched' | 'stopped'): Condition {
  return {
    start(watched, _clock, hold, since) {
      const look = (candidates: Parameters<PatternList['find']>[0]) => {
        const found = patterns.find(candidates);
        if (found !== null) hold({ outcome, ...found } satisfies Held);
      };
      if (since !== null) look(printedSince(watched, since));
      return {
        onEvent: ({ type }) => type === 'output' && look(watched.printedText()),
        dispose() {},
      };
    },
  };
}

/** On the alternate screen all rows, where anything changed: of single ones it is not known when. */
function* printedSince(watched: Watched, since: Mark) {
  for (const { line, text, from } of unreadParts(watched, since)) {
    yield { line, text, from, to: text.length };
  }
  if (watched.alternate && watched.changedAfter(since.revision)) yield* rowsOf(watched);
}

function* rowsOf(watched: Watched) {
  for (const text of watched.screenRows()) yield { line: null, text, from: 0, to: text.length };
}
