import type { Candidate, PatternList } from '../searching/pattern-list.ts';
import type { Watched } from '../watched.ts';
import type { Condition } from './wait.ts';

/** Holds while a line of the shown screen matches, since whenever it does. */
export function screenCondition(patterns: PatternList): Condition {
  return {
    start(watched, _clock, hold) {
      const look = () => {
        const found = patterns.find(shownLines(watched));
        if (found !== null) hold({ outcome: 'matched', ...found });
      };
      look();
      return {
        onEvent: ({ type }) => (type === 'output' || type === 'resize') && look(),
        dispose() {},
      };
    },
  };
}

/** On the primary screen whole lines, of which the first may begin above it. */
function* shownLines(watched: Watched): Generator<Candidate> {
  if (watched.alternate) {
    for (const text of watched.screenRows()) yield whole(null, text);
  } else {
    for (const { line, text } of watched.lineTexts(watched.topLine, watched.endLine)) {
      yield whole(line, text);
    }
  }
}

function whole(line: number | null, text: string): Candidate {
  return { line, text, from: 0, to: text.length };
}
