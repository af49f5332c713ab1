const plain = /^[\w@%+:,./-][\w@%+=:,./-]*$/;

/** Quotes a text as one word of a POSIX shell. A word that needs no quotes is unchanged. */
export const shellQuoted = (text: string): string =>
  plain.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
