import { isDialogOpen } from './dialog.tsx';

const isMac = /Mac|iP(hone|ad)/.test(navigator.platform);

/** What the page does at a key, wherever the focus is. */
export interface GlobalKeys {
  palette(): void;
  help(): void;
}

/** Follows the keys that have a meaning in every view. */
export function followKeys(keys: GlobalKeys): void {
  addEventListener('keydown', (event) => {
    const { key, ctrlKey, metaKey, altKey } = event;
    if (event.defaultPrevented || altKey || isDialogOpen()) return;
    if ((ctrlKey || (isMac && metaKey)) && key.toLowerCase() === 'k') {
      event.preventDefault();
      keys.palette();
    } else if (key === '?' && isForPage(event)) {
      event.preventDefault();
      keys.help();
    }
  });
}

/**
 * Whether a key is for the page: it is not typed into a field, is no command of the browser, and no dialog is open. In a
 * session, what is typed while nothing has the focus is for its terminal.
 */
export function isForPage({
  target,
  ctrlKey,
  metaKey,
  altKey,
  defaultPrevented,
}: KeyboardEvent): boolean {
  const isField = target instanceof Element && target.matches('input, textarea, select');
  const isTerminal = target === document.body && document.querySelector('[data-terminal]') !== null;
  const isElsewhere = isField || isTerminal || isDialogOpen();
  return !(isElsewhere || ctrlKey || metaKey || altKey || defaultPrevented);
}
