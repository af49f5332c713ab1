import { defaultScrollback, type ScrollbackLimits } from '#vt';

/** Returns the limits for `maxLines`: at least the default bytes, and no fewer bytes per line. */
export function scrollbackLimits(maxLines: number): ScrollbackLimits {
  const { maxBytes, maxLines: usualLines } = defaultScrollback;
  return { maxLines, maxBytes: Math.max(maxBytes, Math.ceil((maxLines * maxBytes) / usualLines)) };
}
