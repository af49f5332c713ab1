import { signal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';

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

/** The places of a notice, by the class: at the bottom, below the header, in the middle. */
const places = ['', 'high', 'middle'] as const;

/** What a person reads or writes now: the rows of cursors, the field with the focus, and fields below a terminal. */
const usedParts =
  '.terminal .cursor, .pasting, .agent-bar, input:focus, textarea:focus, .answer-card:focus-within';

/** Puts a notice where it does not cover what the person reads or writes, if there is such a place. */
function place(element: HTMLElement): void {
  const used = [...document.querySelectorAll(usedParts)].map((each) =>
    each.getBoundingClientRect(),
  );
  const isFree = (name: string): boolean => {
    element.className = `notice ${name}`;
    const { top, bottom } = element.getBoundingClientRect();
    return used.every((each) => each.bottom <= top || each.top >= bottom || each.height === 0);
  };
  if (!places.some(isFree)) element.className = 'notice';
}

export function Notices() {
  const notice = shown.value;
  const { action } = notice ?? {};
  const element = useRef<HTMLParagraphElement>(null);
  useLayoutEffect(() => {
    if (notice !== null && element.current !== null) place(element.current);
  }, [notice]);
  return (
    <p class="notice" role="status" hidden={notice === null} ref={element}>
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
