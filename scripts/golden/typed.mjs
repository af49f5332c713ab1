import { encodeKey, parseKey } from '#keys';

/**
 * Encodes typed text: text unchanged, keys in angle brackets (`<enter>`, `<ctrl+c>`, `<up>`) by the
 * modes of the terminal, `<<` as `<`.
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
