/** `VTR_SOAK_FACTOR`: 1, or less to try out a run of soaks in less time. */
const factor = Math.min(1, Number(process.env['VTR_SOAK_FACTOR'] ?? 1) || 1);

/** Whether durations and counts of soaks are shortened, so that their figures mean little. */
export const isShortened = factor < 1;

/** A duration of a soak in ms, or a count of what it repeats, shortened where that was requested; at least `least`. */
export const shortened = (amount: number, least = 1): number =>
  Math.max(least, Math.round(amount * factor));
