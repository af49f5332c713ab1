import { signal } from '@preact/signals';

/** What a person can do about what a notice tells. */
export interface NoticeAction {
  readonly label: string;
  readonly run: () => void;
  /** For how long it can be done, in ms. */
  readonly ms: number;
}

interface Notice {
  readonly text: string;
  readonly id: number;
  readonly action: NoticeAction | undefined;
}

const shown = signal<Notice | null>(null);
const shownMs = 4_000;

/** Tells the person something, for a few seconds, or for as long as something can be done about it. */
export function say(text: string, action?: NoticeAction): void {
  const id = (shown.value?.id ?? 0) + 1;
  shown.value = { text, id, action };
  setTimeout(() => hide(id), action?.ms ?? shownMs);
}

function hide(id: number): void {
  if (shown.value?.id === id) shown.value = null;
}

export function Notices() {
  const notice = shown.value;
  const { action } = notice ?? {};
  return (
    <p class="notice" role="status" hidden={notice === null}>
      {notice?.text}
      {notice !== null && action !== undefined && (
        <button
          type="button"
          onClick={() => {
            hide(notice.id);
            action.run();
          }}
        >
          {action.label}
        </button>
      )}
    </p>
  );
}
