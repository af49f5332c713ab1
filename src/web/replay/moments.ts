const pad = (value: number): string => String(value).padStart(2, '0');

/** Returns a time since the beginning as `1:02:03` or `2:03`. @param ms 0 or more */
export function clockText(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const rest = pad(seconds % 60);
  return hours > 0 ? `${hours}:${pad(minutes)}:${rest}` : `${minutes}:${rest}`;
}

/** When a recording began, in ms since 1970-01-01 UTC; undefined if it does not say. */
type Started = number | undefined;

/**
 * Returns a moment as the address of the page has it: the time of day in UTC, because the beginning of what is kept of a
 * session changes; seconds since the beginning if the recording has no time of day.
 */
export const momentText = (atMs: number, startedAtMs: Started): string =>
  startedAtMs === undefined
    ? String(Math.round(atMs) / 1000)
    : new Date(Math.round(startedAtMs + atMs)).toISOString();

/** Returns how long after the beginning a moment is, in ms, perhaps outside the recording; null if it is not one. */
export function momentMs(text: string, startedAtMs: Started): number | null {
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1000;
  const dayMs = Date.parse(text);
  return startedAtMs === undefined || Number.isNaN(dayMs) ? null : dayMs - startedAtMs;
}

/** Returns the index of the last one at or before a time; -1 if there is none. @param all in the order of time */
export function indexAt(all: readonly { readonly atMs: number }[], atMs: number): number {
  let [low, high] = [0, all.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((all[middle] as { atMs: number }).atMs <= atMs) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** The most ticks on a time line: more would touch each other. */
const maxTicks = 200;

/** Returns where ticks are on a time line, 0 to 1, ascending; those that would touch are one. */
export function ticksOf(times: readonly number[], durationMs: number): number[] {
  if (durationMs <= 0) return [];
  const places = times.map((atMs) => Math.round((atMs / durationMs) * maxTicks) / maxTicks);
  return [...new Set(places.filter((place) => place >= 0 && place <= 1))].sort((a, b) => a - b);
}
