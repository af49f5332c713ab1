import { defaultScrollback, type ScrollbackLimits } from '#vt';

/** As many bytes as by default, and for each line beyond the same as each line has then. */
export function scrollbackLimits(maxLines: number): ScrollbackLimits {
  const { maxBytes, maxLines: usualLines } = defaultScrollback;
  return { maxLines, maxBytes: Math.max(maxBytes, Math.ceil((maxLines * maxBytes) / usualLines)) };
}
