import { signal } from '@preact/signals';
import { durationText } from '#base';

/** How often ages are told anew, in ms. */
const tickMs = 5_000;
const now = signal(Date.now());

setInterval(() => {
  if (!document.hidden) now.value = Date.now();
}, tickMs);
document.addEventListener('visibilitychange', () => {
  if (!document.hidden) now.value = Date.now();
});

/** Returns how long ago a time is, in its largest unit: `2m`; `now` for less than a second. */
function ageText(atMs: number, nowMs: number): string {
  const ms = nowMs - atMs;
  return ms < 1_000 ? 'now' : durationText(ms);
}

/** How long ago a time is, in ms since 1970. It is told anew while the page is in view. */
export function Age({ atMs }: { readonly atMs: number }) {
  if (atMs === 0) return null;
  const at = new Date(atMs);
  return (
    <time class="age" dateTime={at.toISOString()} title={at.toLocaleString()}>
      {ageText(atMs, now.value)}
    </time>
  );
}
