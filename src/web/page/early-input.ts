// The build writes this script into the page itself (scripts/steps/web-page.mjs), so that it runs before any other file of
// the page is there. It holds what a person types and pastes until a view takes it (early-keys.ts).

/** What was pressed or pasted. It is only in the memory of the page. */
export type EarlyInput = KeyboardEvent | PastedText;

export interface PastedText {
  readonly type: 'paste';
  readonly text: string;
  /** As that of an event, in ms. */
  readonly timeStamp: number;
}

/** What the script holds, for the page. */
export interface HeldInput {
  /** In the order in which it came. */
  readonly waiting: EarlyInput[];
  /** Whether something else gets the keys. */
  isElsewhere: () => boolean;
  /** Holds no more. */
  readonly end: () => void;
}

declare global {
  var vtrHeldInput: HeldInput | undefined;
}

const isMac = /Mac|iP(hone|ad)/.test(navigator.platform);

/** Keys that a view or its terminal uses and the browser does not need. */
function isHeld(event: KeyboardEvent): boolean {
  const { key, ctrlKey, metaKey, altKey } = event;
  const isCharacter = [...key].length === 1;
  // AltGr, and the option key of a Mac, type characters.
  if (isCharacter && (event.getModifierState('AltGraph') || (isMac && altKey && !ctrlKey)))
    return !metaKey;
  if (ctrlKey || metaKey || altKey) return false;
  return isCharacter || /^(?:Enter|Backspace|Escape|Arrow\w+)$/.test(key);
}

const isForNobody = ({ target }: Event): boolean =>
  (target === document.body || target === document.documentElement) && !input.isElsewhere();

function take(event: Event): void {
  event.preventDefault();
  event.stopImmediatePropagation();
}

function pressed(event: KeyboardEvent): void {
  if (!isForNobody(event) || !isHeld(event)) return;
  take(event);
  input.waiting.push(event);
}

function pasted(event: ClipboardEvent): void {
  const text = event.clipboardData?.getData('text/plain') ?? '';
  if (text === '' || !isForNobody(event)) return;
  take(event);
  input.waiting.push({ type: 'paste', text, timeStamp: event.timeStamp });
}

const input: HeldInput = {
  waiting: [],
  isElsewhere: () => false,
  end: () => {
    removeEventListener('keydown', pressed, true);
    removeEventListener('paste', pasted, true);
  },
};
globalThis.vtrHeldInput = input;
addEventListener('keydown', pressed, true);
addEventListener('paste', pasted, true);
