import { encodeUtf8 } from '#base';
import { minSecretLength } from '#model';
import type { SecretRule } from './secrets.ts';
import { WordTable } from './word-table.ts';

/** The characters of a literal that are enough to look for it. */
const beginLength = 4;

/** More secrets than these are looked for together. */
const fewSecrets = 8;

/**
 * Returns a rule for secrets that are known, such as the values of variables.
 *
 * @param maxShown how many characters of one may be written before it is recognized, 0 to 3: so that what is shown at
 *   once is rarely held back
 */
export function literalRule(values: Iterable<string>, maxShown = 3): SecretRule {
  const shownLength = maxShown + 1;
  const lines = [...values].flatMap((value) => value.split(/[\r\n]+/));
  const secrets = [...new Set(lines)].filter((value) => value.length >= minSecretLength);
  // The longest first, because one may begin with another.
  secrets.sort((a, b) => b.length - a.length);
  const longest = secrets[0]?.length ?? 0;
  const byBegin = grouped(secrets, (secret) => secret.slice(0, shownLength));
  const byEnd = grouped(secrets, (secret) => secret.slice(-beginLength));
  const open = (text: string): number => {
    const first = Math.max(0, text.length - longest + 1);
    for (let at = first; at < text.length - maxShown; at++) {
      const begun = byBegin.get(text.slice(at, at + shownLength)) ?? [];
      const length = text.length - at;
      if (begun.some((each) => each.length > length && text.startsWith(each.slice(0, length), at)))
        return at;
    }
    return -1;
  };
  return {
    open,
    begun: open,
    ended(text) {
      for (let length = Math.min(longest - 1, text.length); length >= beginLength; length--) {
        const ended = byEnd.get(text.slice(length - beginLength, length)) ?? [];
        const end = text.slice(0, length);
        if (ended.some((secret) => secret.length > length && secret.endsWith(end))) return length;
      }
      return 0;
    },
    find: finderOf(secrets),
    words: secrets,
  };
}

/** Returns `SecretRule.find` for some secrets. */
function finderOf(secrets: readonly string[]): SecretRule['find'] {
  const byBegin = grouped(secrets, (secret) => secret.slice(0, beginLength));
  const isMany = secrets.length > fewSecrets;
  const together = new Set(isMany ? secrets.filter((each) => /^[\0-\x7f]{3}/.test(each)) : []);
  const alone = secrets.filter((each) => !together.has(each));
  const table = new WordTable();
  for (const secret of together) table.add(encodeUtf8(secret.slice(0, 3)));
  return function* (text) {
    for (const secret of alone) {
      for (let at = text.indexOf(secret); at >= 0; at = text.indexOf(secret, at + 1)) {
        yield { from: at, to: at + secret.length };
      }
    }
    if (together.size === 0) return;
    for (let at = table.search(text, 0); at >= 0; at = table.search(text, at + 1)) {
      for (const secret of byBegin.get(text.slice(at, at + beginLength)) ?? []) {
        if (text.startsWith(secret, at)) yield { from: at, to: at + secret.length };
      }
    }
  };
}

function grouped(
  values: readonly string[],
  keyOf: (value: string) => string,
): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, string[]>();
  for (const value of values) {
    const key = keyOf(value);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [value]);
    else group.push(value);
  }
  return groups;
}
