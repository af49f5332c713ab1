/** The verbs that scripts and agents call most often. A bundle of their own starts sooner than that of all. */
export const shortVerbNames = [
  ...(['ls', 'info', 'screen', 'read', 'send', 'key', 'wait', 'idle', 'commands'] as const),
] as const;

export type ShortVerbName = (typeof shortVerbNames)[number];

/**
 * Returns which of these verbs the words of a command line call. Null for all other words, and for help,
 * which may be about any verb.
 */
export function shortVerbOf([first, ...more]: readonly string[]): ShortVerbName | null {
  if (more.includes('--help') || more.includes('-h')) return null;
  return shortVerbNames.find((name) => name === first) ?? null;
}
