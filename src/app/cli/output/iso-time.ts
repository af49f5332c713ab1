export const isoTime = (ms: number | null): string | null =>
  ms === null ? null : new Date(ms).toISOString();
