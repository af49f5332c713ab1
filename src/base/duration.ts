const unitMs: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

const part = /(\d+(?:\.\d+)?)(ms|s|m|h|d)/g;
const whole = /^(?:\d+(?:\.\d+)?(?:ms|s|m|h|d))+$/;

/**
 * A duration as people write it: `500ms`, `5s`, `1.5m`, `1h30m`.
 *
 * @returns milliseconds; null for what is no duration. A number without a unit is none, because
 * nobody knows whether seconds or milliseconds are meant.
 */
export function parseDurationMs(text: string): number | null {
  if (!whole.test(text)) return null;
  let sumMs = 0;
  for (const [, amount, unit = ''] of text.matchAll(part)) {
    sumMs += Number(amount) * (unitMs[unit] ?? 0);
  }
  return sumMs;
}

/** A duration so that {@link parseDurationMs} reads the same again, but for parts of a millisecond. */
export function exactDurationText(ms: number): string {
  let leftMs = Math.floor(ms);
  let text = '';
  for (const unit of ['d', 'h', 'm', 's', 'ms']) {
    const amount = Math.floor(leftMs / (unitMs[unit] ?? 1));
    leftMs -= amount * (unitMs[unit] ?? 1);
    if (amount > 0) text += `${amount}${unit}`;
  }
  return text || '0ms';
}

/** A duration in its largest unit, cut: `2h`, `5m`, `38s`, `120ms`. */
export function durationText(ms: number): string {
  for (const unit of ['d', 'h', 'm', 's']) {
    const amount = Math.floor(ms / (unitMs[unit] ?? 1));
    if (amount >= 1) return `${amount}${unit}`;
  }
  return `${Math.max(0, Math.floor(ms))}ms`;
}
