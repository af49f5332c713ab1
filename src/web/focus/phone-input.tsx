import { useSignal } from '@preact/signals';
import type { KeyPress } from '#model';
import type { SessionPane } from './session-pane.ts';

const keys: readonly (readonly [label: string, press: KeyPress])[] = [
  ['Esc', { key: 'escape' }],
  ['Tab', { key: 'tab' }],
  ['↑', { key: 'up' }],
  ['↓', { key: 'down' }],
  ['←', { key: 'left' }],
  ['→', { key: 'right' }],
  ['^C', { key: 'c', ctrl: true }],
];

/** Letters that follow Ctrl. */
const letters = 'adelrwxz';

/** Keys that the keyboard of a phone does not have. */
export function KeyBar({ pane }: { readonly pane: SessionPane }) {
  const holdsCtrl = useSignal(false);
  const press = (key: KeyPress) => {
    pane.live.key(key);
    holdsCtrl.value = false;
  };
  return (
    <div class="key-bar" role="toolbar" aria-label="Keys">
      {keys.slice(0, 2).map(([label, key]) => (
        <button type="button" key={label} onClick={() => press(key)}>
          {label}
        </button>
      ))}
      <button
        type="button"
        aria-pressed={holdsCtrl.value}
        onClick={() => {
          holdsCtrl.value = !holdsCtrl.value;
        }}
      >
        Ctrl
      </button>
      {holdsCtrl.value
        ? [...letters].map((letter) => (
            <button type="button" key={letter} onClick={() => press({ key: letter, ctrl: true })}>
              {`^${letter.toUpperCase()}`}
            </button>
          ))
        : keys.slice(2).map(([label, key]) => (
            <button type="button" key={label} onClick={() => press(key)}>
              {label}
            </button>
          ))}
    </div>
  );
}

/** A line that is written, dictated or corrected before the program gets it. */
export function Composer({ pane }: { readonly pane: SessionPane }) {
  const line = useSignal('');
  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault();
        if (line.value !== '') pane.live.text(line.value);
        pane.live.key({ key: 'enter' });
        line.value = '';
      }}
    >
      <input
        aria-label="Line"
        placeholder="Write a line"
        enterkeyhint="send"
        autocapitalize="off"
        value={line.value}
        onInput={({ currentTarget }) => {
          line.value = currentTarget.value;
        }}
      />
      <button type="submit">Send</button>
    </form>
  );
}
