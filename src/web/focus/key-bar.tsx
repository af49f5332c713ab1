import { useSignal } from '@preact/signals';
import type { KeyPress } from '#model';
import { ownKeys } from '../input/own-keys.ts';
import { settings } from '../look/settings.ts';
import { say } from '../page/notices.tsx';
import type { SessionPane } from './session-pane.ts';

const keys: readonly (readonly [label: string, press: KeyPress])[] = [
  ['Esc', { key: 'escape' }],
  ['Tab', { key: 'tab' }],
  ['⇧Tab', { key: 'tab', shift: true }],
  ['↑', { key: 'up' }],
  ['↓', { key: 'down' }],
  ['←', { key: 'left' }],
  ['→', { key: 'right' }],
  ['Enter', { key: 'enter' }],
  ['PgUp', { key: 'pageup' }],
  ['PgDn', { key: 'pagedown' }],
  ['/', { key: '/' }],
  ['|', { key: '|' }],
  ['~', { key: '~' }],
  ['-', { key: '-' }],
];

/** Letters that often follow Ctrl. */
const letters = 'cdzlrawe';

/** Keys that the keyboard of a phone does not have. Ctrl and Alt hold for the next key, also of that keyboard. */
export function KeyBar({ pane }: { readonly pane: SessionPane }) {
  const modifiers = pane.heldKeys.value;
  const hold = (name: 'ctrl' | 'alt') => {
    pane.heldKeys.value = { ...modifiers, [name]: !modifiers[name] };
  };
  const paste = () => {
    navigator.clipboard
      .readText()
      .then((text) => text !== '' && pane.paste(text))
      .catch(() => say('The browser does not let the page paste'));
  };
  const own = ownKeys(settings.value.keys);
  const letterKeys = modifiers.ctrl ? [...letters] : [];
  return (
    <div class="key-bar" role="toolbar" aria-label="Keys">
      {own.map(({ label, press, text }) => (
        <button
          type="button"
          key={label}
          class="own"
          onClick={() => (press === undefined ? pane.live.text(text) : pane.press(press))}
        >
          {label}
        </button>
      ))}
      {(['ctrl', 'alt'] as const).map((name) => (
        <button type="button" key={name} aria-pressed={modifiers[name]} onClick={() => hold(name)}>
          {name === 'ctrl' ? 'Ctrl' : 'Alt'}
        </button>
      ))}
      {letterKeys.map((letter) => (
        <button type="button" key={letter} onClick={() => pane.press({ key: letter })}>
          {`^${letter.toUpperCase()}`}
        </button>
      ))}
      {keys.map(([label, key]) => (
        <button type="button" key={label} onClick={() => pane.press(key)}>
          {label}
        </button>
      ))}
      <button type="button" onClick={paste}>
        Paste
      </button>
    </div>
  );
}

/** The lines that were sent from this page, oldest first. */
const sentLines: string[] = [];
const maxLines = 100;

function keepLine(line: string): void {
  if (sentLines.at(-1) !== line) sentLines.push(line);
  if (sentLines.length > maxLines) sentLines.shift();
}

/** A line that is written, dictated or corrected before the program gets it. */
export function Composer({ pane }: { readonly pane: SessionPane }) {
  const line = useSignal('');
  /** Where the person is in the lines that were sent; their number for none of them. */
  const at = useSignal(sentLines.length);
  const show = (place: number) => {
    at.value = Math.max(0, Math.min(place, sentLines.length));
    line.value = sentLines[at.value] ?? '';
  };
  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault();
        if (line.value !== '') {
          pane.live.text(line.value);
          keepLine(line.value);
        }
        pane.live.key({ key: 'enter' });
        show(sentLines.length);
      }}
    >
      <button
        type="button"
        class="icon"
        aria-label="Line before"
        aria-disabled={at.value === 0}
        onClick={() => show(at.value - 1)}
      >
        ↑
      </button>
      <input
        aria-label="Line"
        placeholder="Write a line"
        enterkeyhint="send"
        autocapitalize="off"
        value={line.value}
        onInput={({ currentTarget }) => {
          line.value = currentTarget.value;
        }}
        onKeyDown={({ key }) => {
          if (key === 'ArrowUp') show(at.value - 1);
          else if (key === 'ArrowDown') show(at.value + 1);
        }}
      />
      <button type="submit">Send</button>
    </form>
  );
}
