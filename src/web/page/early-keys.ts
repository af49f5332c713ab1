import { isDialogOpen } from './dialog.tsx';
import type { EarlyInput } from './early-input.ts';
import { say } from './notices.tsx';

/** For how long keys wait for the view, in ms. The page takes 6 s with 50 KB/s and a delay of 300 ms. */
const limitMs = 10_000;

/** Keys that are pressed while a dialog is open are for the dialog. */
export function holdEarlyKeys(): void {
  if (globalThis.vtrHeldInput !== undefined) globalThis.vtrHeldInput.isElsewhere = isDialogOpen;
}

/**
 * Must be called when a view is there: presses the keys that were held (early-input.ts), in their order, pastes what was
 * pasted, and holds no more.
 */
export function pressEarlyKeys(): void {
  const input = globalThis.vtrHeldInput;
  if (input === undefined) return;
  globalThis.vtrHeldInput = undefined;
  input.end();
  const [oldest] = input.waiting;
  if (oldest !== undefined && performance.now() - oldest.timeStamp >= limitMs) {
    // A part of what was typed may mean something else.
    say('Not typed: the page took too long to load');
    return;
  }
  for (const each of input.waiting) {
    give(each);
    // The rest was not typed for what a person has not seen.
    if (isDialogOpen()) return;
  }
}

function give(input: EarlyInput): void {
  const at = document.activeElement ?? document.body;
  const isUnused = at.dispatchEvent(eventOf(input));
  if (!isUnused || !(at instanceof HTMLInputElement)) return;
  if ('key' in input) write(at, input.key);
  else insert(at, input.text.replace(/[\r\n]+/g, ' '));
}

function eventOf(input: EarlyInput): Event {
  const how = { bubbles: true, cancelable: true, composed: true };
  if ('text' in input) {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', input.text);
    return new ClipboardEvent('paste', { ...how, clipboardData });
  }
  const { key, code, location, repeat, shiftKey, ctrlKey, altKey, metaKey } = input;
  return new KeyboardEvent('keydown', {
    ...how,
    key,
    code,
    location,
    repeat,
    shiftKey,
    ctrlKey,
    altKey,
    metaKey,
    modifierAltGraph: input.getModifierState('AltGraph'),
  });
}

/** Writes a key into a field: one that the page dispatches writes nothing. */
function write(field: HTMLInputElement, key: string): void {
  if ([...key].length === 1) insert(field, key);
  else if (key === 'Backspace') insert(field, '', 1);
}

/** @param before how many characters before the cursor go, if none are selected */
function insert(field: HTMLInputElement, text: string, before = 0): void {
  const [from, to] = [field.selectionStart ?? 0, field.selectionEnd ?? 0];
  field.setRangeText(text, from === to ? Math.max(0, from - before) : from, to, 'end');
  field.dispatchEvent(new InputEvent('input', { bubbles: true }));
}
