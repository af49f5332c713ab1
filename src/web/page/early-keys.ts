import { isDialogOpen } from './dialog.tsx';

/** For how long a key waits for the view, in ms, as what is typed waits for the connection. */
const limitMs = 5_000;

/** Keys that a view or its terminal uses and the browser does not need. */
const isHeld = ({ key }: KeyboardEvent): boolean =>
  [...key].length === 1 || /^(?:Enter|Backspace|Escape|Arrow\w+)$/.test(key);

let waiting: KeyboardEvent[] | null = [];

/** Begins to hold keys that are pressed before there is a view that could take them. */
export function holdEarlyKeys(): void {
  addEventListener('keydown', hold, true);
}

function hold(event: KeyboardEvent): void {
  const { target, ctrlKey, metaKey, altKey } = event;
  const isElsewhere = target !== document.body || isDialogOpen();
  if (isElsewhere || ctrlKey || metaKey || altKey || !isHeld(event)) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  waiting?.push(event);
}

/** Must be called when a view is there: presses the keys that were held, in their order, and holds no more. */
export function pressEarlyKeys(): void {
  const keys = waiting ?? [];
  waiting = null;
  removeEventListener('keydown', hold, true);
  for (const event of keys) if (performance.now() - event.timeStamp < limitMs) press(event);
}

function press(event: KeyboardEvent): void {
  const at = document.activeElement ?? document.body;
  const isUnused = at.dispatchEvent(new KeyboardEvent('keydown', event));
  if (isUnused && at instanceof HTMLInputElement) write(at, event.key);
}

/** Writes a key into a field: one that the page dispatches writes nothing. */
function write(field: HTMLInputElement, key: string): void {
  const [from, to] = [field.selectionStart ?? 0, field.selectionEnd ?? 0];
  if ([...key].length === 1) field.setRangeText(key, from, to, 'end');
  else if (key === 'Backspace')
    field.setRangeText('', from === to ? Math.max(0, from - 1) : from, to, 'end');
  else return;
  field.dispatchEvent(new InputEvent('input', { bubbles: true }));
}
