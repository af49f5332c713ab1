const wild = /[*?[]/;

/** Returns whether a text is a glob: whether it contains `*`, `?` or `[`. */
export const isGlob = (text: string): boolean => wild.test(text);

/**
 * Returns the source of a regular expression that matches as a glob, without anchors. `*` matches any
 * text, `?` a character, `[abc]` and `[a-c]` one of a set, `[!abc]` one of all others. Use the flags
 * `s` and `u`.
 */
export function globSource(glob: string): string {
  return glob.replace(/\[(!?)([^\]]+)\]|./gsu, (sign, not?: string, set?: string) => {
    if (set !== undefined) return `[${not ? '^' : ''}${set.replace(/[\\^[]/g, '\\$&')}]`;
    if (sign === '*') return '.*';
    return sign === '?' ? '.' : sign.replace(/[\\^$.|+()[\]{}]/, '\\$&');
  });
}
