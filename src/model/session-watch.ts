import { exactDurationText, parseDurationMs } from '#base';
import type { SessionInfo, SessionLabels } from './session.ts';

/** The label of a session that says for what it is watched: `activity,silence=30s,bell`. */
export const watchLabel = 'vtr/watch';

/** For what a person watches a session: it wants somebody then, until a person looks. */
export interface WatchChoice {
  /** Any output. */
  readonly activity: boolean;
  /** No output for this time, in ms, from {@link minSilenceMs} to {@link maxSilenceMs}; null: not for that. */
  readonly silenceMs: number | null;
  /** Each bell, also one that answers a key, and also after somebody types. */
  readonly bell: boolean;
}

export const minSilenceMs = 1_000;
export const maxSilenceMs = 7 * 24 * 3_600_000;

/** Returns for what a session is watched; null if for nothing. Words that are not known count for nothing. */
export function watchOf(labels: SessionLabels | undefined): WatchChoice | null {
  const words = labels?.[watchLabel]?.split(',') ?? [];
  const times = words.flatMap((word) => {
    const ms = word.startsWith('silence=') ? parseDurationMs(word.slice('silence='.length)) : null;
    return ms === null || ms < minSilenceMs || ms > maxSilenceMs ? [] : [ms];
  });
  const activity = words.includes('activity');
  const bell = words.includes('bell');
  const [silenceMs = null] = times;
  return activity || bell || silenceMs !== null ? { activity, silenceMs, bell } : null;
}

/** Returns the value of the label {@link watchLabel}; null for a watch for nothing. */
export function watchText({ activity, silenceMs, bell }: WatchChoice): string | null {
  const words = [
    ...(activity ? ['activity'] : []),
    ...(silenceMs === null ? [] : [`silence=${exactDurationText(silenceMs)}`]),
    ...(bell ? ['bell'] : []),
  ];
  return words.join() || null;
}

/**
 * Returns whether a session wants a person who sees another one: for any reason but a long silence that nobody watches
 * for. A bell counts if the person wants to know of the bells of all sessions, or watches for those of this one.
 */
export function wantsPerson({ attention, labels }: SessionInfo, countsBells: boolean): boolean {
  if (attention === undefined || attention.kind === 'quiet') return false;
  return attention.kind !== 'bell' || countsBells || watchOf(labels)?.bell === true;
}
