import { globPattern } from '#base';
import { Pattern } from '#watch';

/** Whether a text matches a pattern with `*`, `?` and `[...]`. */
export function globMatches(pattern: string, text: string, ignoreCase = false): boolean {
  const expression = globPattern(pattern);
  if (expression === null) return false;
  return ignoreCase ? new RegExp(expression.source, 'sui').test(text) : expression.test(text);
}

/** Whether a text contains a match of a regular expression (RE2). False for an invalid one. */
export function regexMatches(pattern: string, text: string, ignoreCase = false): boolean {
  return (compiled(pattern, ignoreCase)?.findAll(text).length ?? 0) > 0;
}

/** Returns a function that finds all matches of a regular expression (RE2); none for an invalid one. */
export function finder(
  pattern: string,
  ignoreCase: boolean,
): (text: string) => readonly { readonly start: number; readonly end: number }[] {
  const regex = compiled(pattern, ignoreCase);
  return (text) => regex?.findAll(text) ?? [];
}

/** Replaces all matches in a text; `\1` in the replacement is a group. */
export function substituted(
  pattern: string,
  replacement: string,
  text: string,
  ignoreCase: boolean,
): string {
  const regex = compiled(pattern, ignoreCase);
  if (regex === null) return text;
  let result = '';
  let at = 0;
  for (const match of regex.findAll(text)) {
    const groups = regex.groupsOf(text, match);
    const whole = text.slice(match.start, match.end);
    const put = replacement.replace(/\\(\d)/g, (_all, number: string) =>
      number === '0' ? whole : (groups[Number(number) - 1] ?? ''),
    );
    result += text.slice(at, match.start) + put;
    at = match.end;
  }
  return result + text.slice(at);
}

function compiled(pattern: string, ignoreCase: boolean): Pattern | null {
  try {
    return new Pattern(ignoreCase ? `(?i)${pattern}` : pattern);
  } catch {
    return null;
  }
}
