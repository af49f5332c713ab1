/** Where a key has its meaning. */
type KeyPlace = 'everywhere' | 'all sessions' | 'a session' | 'side by side';

/** A key of the page, for its help. */
interface PageKey {
  readonly keys: string;
  readonly where: KeyPlace;
  readonly about: string;
}

/**
 * The keys of the page: the help (`?`) and docs/web.md list them. Those of attach and ui are in `src/keys/key-table.ts`. The first view of the page does not
 * load them.
 */
export const pageKeys: readonly PageKey[] = [
  {
    keys: 'Ctrl+K, Cmd+K',
    where: 'everywhere',
    about: 'opens the palette: sessions, actions, commands',
  },
  {
    keys: 'Ctrl+Shift+K',
    where: 'everywhere',
    about: 'the same while you type in a terminal, which gets Ctrl+K',
  },
  { keys: '?', where: 'everywhere', about: 'shows these keys' },
  { keys: '/', where: 'all sessions', about: 'filters the sessions and searches their output' },
  {
    keys: 'n',
    where: 'all sessions',
    about: 'goes to the session that has asked for the longest time',
  },
  { keys: 'N', where: 'all sessions', about: 'moves to the next session that asks' },
  { keys: '↑ ↓ ← →, j, k', where: 'all sessions', about: 'moves from session to session' },
  { keys: 'Enter', where: 'all sessions', about: 'opens the session with the focus' },
  { keys: 'c', where: 'all sessions', about: 'starts a session' },
  { keys: 'm', where: 'all sessions', about: 'opens the menu of the session with the focus' },
  {
    keys: 'r, l, s, x',
    where: 'all sessions',
    about: 'renames, labels, shares or splits the session with the focus',
  },
  {
    keys: 'Delete',
    where: 'all sessions',
    about: 'removes the session with the focus; can be undone for 10 s',
  },
  {
    keys: 'Shift+Escape',
    where: 'a session',
    about: 'leaves the terminal: Tab and the keys of the page work again',
  },
  { keys: 'Ctrl+F', where: 'a session', about: 'searches; Ctrl+Shift+F while you type' },
  {
    keys: 'Enter, Shift+Enter',
    where: 'a session',
    about: 'in the search: the match before, the match after',
  },
  {
    keys: 'Shift+Page Up, Page Down, Home, End',
    where: 'a session',
    about: 'scrolls; without Shift while you watch',
  },
  { keys: 'Ctrl+Shift+C, Ctrl+Shift+V', where: 'a session', about: 'copies, pastes' },
  {
    keys: 'Ctrl+Alt+arrow',
    where: 'side by side',
    about: 'goes to the next or the previous session; so does F6 unless you type',
  },
];
