const wild = /[*?[]/;

/** Returns whether a text is a glob: whether it contains `*`, `?` or `[`. */
export const isGlob = (text: string): boolean => wild.test(text);

/**
 * Returns a regular expression that matches whole texts as a glob: `*` matches any text, `?` a
 * character, `[abc]` and `[a-c]` one of a set, `[!abc]` one of all others. Returns null for a range
 * in reverse order, such as `[z-a]`.
 */
export function globPattern(glob: string): RegExp | null {
  const source = glob.replace(/\[(!?)([^\]]+)\]|./gsu, (sign, not?: string, set?: string) => {
    if (set !== undefined) return `[${not ? '^' : ''}${set.replace(/[\\^[]/g, '\\$&')}]`;
    if (sign === '*') return '.*';
    return sign === '?' ? '.' : sign.replace(/[\\^$.|+()[\]{}]/, '\\$&');
  });
  try {
    return new RegExp(`^${source}$`, 'su');
  } catch {
    return null;
  }
}
