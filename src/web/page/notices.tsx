import { signal } from '@preact/signals';

const shown = signal<{ readonly text: string; readonly id: number } | null>(null);
const shownMs = 4_000;

/** Tells the person something, for a few seconds. */
export function say(text: string): void {
  const id = (shown.value?.id ?? 0) + 1;
  shown.value = { text, id };
  setTimeout(() => {
    if (shown.value?.id === id) shown.value = null;
  }, shownMs);
}

export function Notices() {
  return (
    <p class="notice" role="status" hidden={shown.value === null}>
      {shown.value?.text}
    </p>
  );
}
