import { encodeKey, parseKey } from '#keys';

/**
 * The bytes of what a person types: text as it is, keys in angle brackets (`<enter>`, `<ctrl+c>`,
 * `<up>`) as the terminal's modes ask for them, `<<` for `<`.
 *
 * @param {string} typed
 * @param {import('#model').KeyModes} modes
 */
export function typedBytes(typed, modes) {
  const parts = typed.match(/<<|<[^>]+>|[^<]+/g) ?? [];
  return Buffer.concat(
    parts.map((part) => {
      if (part === '<<') return Buffer.from('<');
      const key = /^<(.+)>$/s.exec(part)?.[1];
      return key === undefined ? Buffer.from(part) : Buffer.from(encodeKey(parseKey(key), modes));
    }),
  );
}
