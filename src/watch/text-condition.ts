import type { TextMatch } from '#model';
import type { Pattern } from './pattern.ts';
import type { Condition } from './wait.ts';
import type { Printed, Watched } from './watched.ts';

/**
 * Holds when output makes a line match. Lines are as a person sees them: without escape sequences,
 * and whole where they wrap. Of a line that stood there before, a match has to show something that
 * was printed since.
 */
export function textCondition(pattern: Pattern): Condition {
  return {
    start: (watched, _clock, hold) => ({
      onEvent(event) {
        if (event.type !== 'output') return;
        const match = findIn(watched, pattern);
        if (match !== null) hold({ outcome: 'matched', match });
      },
      dispose() {},
    }),
  };
}

function findIn(watched: Watched, pattern: Pattern): TextMatch | null {
  for (const printed of watched.printedText()) {
    const match = matchOf(printed, pattern);
    if (match !== null) return match;
  }
  return null;
}

function matchOf({ line, text, cut, from, to }: Printed, pattern: Pattern): TextMatch | null {
  const match = pattern.findTouching(text, from, to, cut);
  return match && { line, text, matched: text.slice(match.start, match.end) };
}
