import { earlyCode, lateCode } from '#base';
import { flow } from '#model';

/** What asks for the version, as the first word. */
export const versionWords: readonly string[] = ['--version', '-V', '-v', 'version'];

/** Whether the words of a command ask for JSON. Those of `vtr tmux` are the words of another command. */
export function asksForJson(words: readonly string[]): boolean {
  const end = words.indexOf('--');
  return words[0] !== 'tmux' && words.slice(0, end < 0 ? undefined : end).includes('--json');
}

/**
 * The verbs that scripts and agents call most often. Each has a bundle of its own, which starts sooner than that
 * of all. `NAME.ts` exports the verb as `NAME`.
 */
export const shortVerbNames: readonly string[] = [
  ...['ls', 'info', 'screen', 'read', 'send', 'key', 'wait', 'idle', 'commands'],
  // What a person waits for.
  'attach',
  // What the hooks of agents call.
  'report',
  // What every call over ssh starts on the other side.
  'connect',
];

/**
 * Returns which of these verbs the words of a command line call. Null for all other words, and for help,
 * which may be about any verb.
 */
export function shortVerbOf([first, ...more]: readonly string[]): string | null {
  if (more.includes('--help') || more.includes('-h')) return null;
  return shortVerbNames.find((name) => name === first) ?? null;
}

/**
 * Returns the flags of V8 for a daemon in the foreground: its Node was started with none. `execArgv` are the flags that
 * a daemon in the background was started with.
 */
export function flagsOfVerb(
  [first, ...more]: readonly string[],
  execArgv: readonly string[],
  v8 = process.versions.v8,
): readonly string[] {
  if (!isDaemon([first, ...more])) return [];
  const flags = [`--heap-growing-percent=${flow.heap.growingPercent}`, ...earlyCode(v8)];
  return flags.filter((each) => !execArgv.includes(each));
}

/** Whether the process is itself a daemon. */
function isDaemon([first, ...more]: readonly (string | undefined)[]): boolean {
  const elsewhere = ['--daemon', '--stop', '--restart', '--status', '--help', '-h'];
  return first === 'serve' && !more.some((each) => elsewhere.includes(each ?? ''));
}

/** Verbs that pass on keys, or many calls, until their person or host leaves. */
const lastingVerbs = ['attach', 'new', 'ui', 'mcp'];

/** Returns the flags of V8 for a verb that goes on, which are set when it has started. */
export const lateFlagsOfVerb = (
  words: readonly string[],
  v8 = process.versions.v8,
): readonly string[] =>
  lastingVerbs.includes(words[0] ?? '') || isDaemon(words) ? lateCode(v8) : [];
