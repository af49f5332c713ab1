import { Utf8Decoder } from '#base';
import type { Mark } from '../reading/read-mark.ts';
import { unreadParts } from '../reading/unread.ts';
import type { PatternList } from '../searching/pattern-list.ts';
import type { Watched } from '../watched.ts';
import type { Condition, ConditionMet } from './wait.ts';

/** How far before the newest chunk a match in the raw output may begin, in UTF-16 code units. */
const windowUnits = 16 * 1024;
/** Raw output returned before and after a match, in UTF-16 code units each. */
const contextUnits = 80;

/**
 * Met when output makes a line match. Lines are matched as displayed: without escape sequences, and
 * unwrapped. In a line that existed before, a match must include text printed since.
 */
export function textCondition(patterns: PatternList, outcome: 'matched' | 'stopped'): Condition {
  return {
    start(watched, _clock, onMet, since) {
      const check = (candidates: Parameters<PatternList['find']>[0]) => {
        const found = patterns.find(candidates);
        if (found !== null) onMet({ outcome, ...found } satisfies ConditionMet);
      };
      if (since !== null) check(printedSince(watched, since));
      return {
        onEvent: ({ type }) => type === 'output' && check(watched.printedText()),
        dispose() {},
      };
    },
  };
}

/**
 * Includes all rows of the alternate screen if any changed: changes of single rows are not tracked.
 */
function* printedSince(watched: Watched, since: Mark) {
  for (const { line, text, from } of unreadParts(watched, since)) {
    yield { line, text, from, to: text.length };
  }
  if (watched.terminal.alternate && watched.terminal.changedRows(since.revision).length > 0)
    yield* rowsOf(watched);
}

function* rowsOf(watched: Watched) {
  for (const text of watched.screenRows()) yield { line: null, text, from: 0, to: text.length };
}

/** Met when the raw output matches, escape sequences included. The output is decoded as UTF-8. */
export function rawCondition(patterns: PatternList, outcome: 'matched' | 'stopped'): Condition {
  return {
    start(watched, _clock, onMet, since) {
      const decoder = new Utf8Decoder();
      let seen = '';
      const check = (bytes: Uint8Array) => {
        const text = seen + decoder.push(bytes);
        const found = patterns.find([{ line: null, text, from: seen.length, to: text.length }]);
        seen = text.slice(-windowUnits);
        if (found === null) return;
        const { match, ...rest } = found;
        onMet({ outcome, ...rest, match: { ...match, text: around(text, match.matched) } });
      };
      if (since !== null) for (const { bytes } of watched.rawOutput(since.offset)) check(bytes);
      return {
        onEvent: (event) => event.type === 'output' && check(event.bytes),
        dispose() {},
      };
    },
  };
}

function around(text: string, matched: string): string {
  const at = text.lastIndexOf(matched);
  return text.slice(Math.max(0, at - contextUnits), at + matched.length + contextUnits);
}
