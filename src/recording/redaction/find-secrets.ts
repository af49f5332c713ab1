import { type ControlString, plainText, rawSpans } from './control-sequences.ts';
import { keyLines } from './key-lines.ts';
import type { SecretRule, Span } from './secrets.ts';

/** A secret, or the part of one in a line: the parts of a secret have the same number. */
export interface SecretSpan extends Span {
  readonly secret: number;
}

/**
 * Finds the secrets in whole lines without control sequences.
 *
 * @param text lines joined by line feeds
 * @param hasShownKey see {@link keyLines}
 * @returns spans in order, which do not overlap
 */
export function findSecrets(
  text: string,
  rules: readonly SecretRule[],
  hasShownKey: () => boolean = () => false,
): readonly SecretSpan[] {
  const found = rules.flatMap((rule) =>
    // A pattern of the user may match a line feed, or refer to the ends of a line.
    rule.words === undefined ? findByLine(text, rule) : [...rule.find(text)],
  );
  const keys = keyLines(text, hasShownKey);
  return found.length + keys.length === 0 ? [] : merged(found, keys);
}

function findByLine(text: string, rule: SecretRule): Span[] {
  let at = 0;
  return text.split('\n').flatMap((line) => {
    const place = at;
    at += line.length + 1;
    return Array.from(rule.find(line), ({ from, to }) => ({ from: place + from, to: place + to }));
  });
}

function merged(found: readonly Span[], keys: readonly SecretSpan[]): readonly SecretSpan[] {
  let next = 1 + keys.reduce((last, { secret }) => Math.max(last, secret), -1);
  const all = [...keys, ...found.map((span) => ({ ...span, secret: -1 }))];
  all.sort((a, b) => a.from - b.from || b.to - a.to);
  const spans: SecretSpan[] = [];
  for (const each of all) {
    const last = spans.at(-1);
    if (each.from === each.to) continue;
    if (last !== undefined && each.from < last.to) {
      spans[spans.length - 1] = { ...last, to: Math.max(last.to, each.to) };
    } else {
      spans.push(each.secret < 0 ? { ...each, secret: next++ } : each);
    }
  }
  return spans;
}

/** Finds the secrets in a whole text with control sequences. Returns spans in order; they may overlap. */
export function findInOutput(output: string, rules: readonly SecretRule[]): readonly SecretSpan[] {
  const { text, stretches, strings } = plainText(output, '');
  const inText = findSecrets(text, rules).flatMap(({ secret, ...span }) =>
    rawSpans([span], stretches).map((each) => ({ ...each, secret })),
  );
  let next = inText.reduce((last, { secret }) => Math.max(last, secret), -1);
  const inStrings = strings.flatMap((each) =>
    findInString(each, rules).map((span) => {
      next++;
      return { ...span, secret: next };
    }),
  );
  return [...inText, ...inStrings].sort((a, b) => a.from - b.from);
}

/** The beginning of OSC 52: what follows was copied to the clipboard. */
const clipboard = /^(?:\x1b\]|\x9d)52;[^;]*;/;

/** Finds the secrets in a control string. Their places are those of the text with the sequences. */
export function findInString({ text, at }: ControlString, rules: readonly SecretRule[]): Span[] {
  const copied = clipboard.exec(text)?.[0].length;
  const spans =
    copied === undefined
      ? rules.flatMap((rule) => [...rule.find(text)])
      : [{ from: copied, to: text.length - (text.endsWith('\x1b\\') ? 2 : 1) }];
  return spans.map(({ from, to }) => ({ from: at + from, to: at + to }));
}
