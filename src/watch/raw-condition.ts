import { Utf8Decoder } from '#base';
import type { PatternList } from './pattern-list.ts';
import type { Condition } from './wait.ts';

/** How much of the output before the newest chunk a match may begin in, in UTF-16 code units. */
const windowUnits = 16 * 1024;
/** Shown of what is around a match, on either side. */
const contextUnits = 80;

/** Holds when the untouched output matches, escape sequences included; read as UTF-8. */
export function rawCondition(patterns: PatternList, outcome: 'matched' | 'stopped'): Condition {
  return {
    start(watched, _clock, hold, since) {
      const output = new Utf8Decoder();
      let seen = '';
      const look = (bytes: Uint8Array) => {
        const text = seen + output.push(bytes);
        const found = patterns.find([{ line: null, text, from: seen.length, to: text.length }]);
        seen = text.slice(-windowUnits);
        if (found === null) return;
        const { match, ...rest } = found;
        hold({ outcome, ...rest, match: { ...match, text: around(text, match.matched) } });
      };
      if (since !== null) for (const { bytes } of watched.rawOutput(since.offset)) look(bytes);
      return {
        onEvent: (event) => event.type === 'output' && look(event.bytes),
        dispose() {},
      };
    },
  };
}

function around(text: string, matched: string): string {
  const at = text.lastIndexOf(matched);
  return text.slice(Math.max(0, at - contextUnits), at + matched.length + contextUnits);
}
