import { type ModifierName, modifierBits } from '#keys';
import type { KeyAction, KeyPress } from '#model';
import type { TtyKey } from './tty-event.ts';

/** An event of a key, without its bytes. */
export type KeyEvent = Pick<TtyKey, 'press' | 'action'>;

const names: readonly ModifierName[] = ['ctrl', 'alt', 'shift', 'super', 'hyper', 'meta'];

/** @param held bits of `modifierBits`; locks are ignored */
export function pressOf(key: string, held = 0): KeyPress {
  if (held === 0) return { key };
  const modifiers = names.filter((name) => held & modifierBits[name]).map((name) => [name, true]);
  return { key, ...Object.fromEntries(modifiers) };
}

export const pressed = (key: string, held = 0): KeyEvent => ({
  press: pressOf(key, held),
  action: 'press',
});

export const acted = (press: KeyPress, action: KeyAction): KeyEvent => ({
  press: action === 'press' ? press : { ...press, action },
  action,
});

export const withAlt = ({ press, action }: KeyEvent): KeyEvent => ({
  press: { ...press, alt: true },
  action,
});
