/**
 * For how long tests wait for a condition, in ms. Success is expected, so that the time only has to suffice on
 * every machine: give no other.
 */
export const conditionMs = 30_000;
