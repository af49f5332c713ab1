import { encodeUtf8 } from '#base';
import type { KeyModes, KeyPress } from '#model';
import { keypadKeys } from './keypad.ts';
import { encodeKitty } from './kitty.ts';
import type { KittyKeyEvent } from './kitty-event.ts';
import { encodeLegacy } from './legacy.ts';
import { modifierBits } from './modifiers.ts';
import { type CharacterKey, type NamedKey, type ResolvedKey, resolveKey } from './resolve.ts';

/**
 * What a terminal in these modes sends for one press of a key on a US keyboard: by the kitty
 * keyboard protocol where the program has set any of its flags, else as xterm does. Empty where the
 * key sends nothing, such as a modifier by itself. xterm knows no super and no hyper: they are
 * ignored outside of the protocol.
 *
 * @throws VtrError INVALID_KEY; `details.nearest` has names that may have been meant.
 */
export function encodeKey(press: KeyPress, modes: KeyModes): Uint8Array {
  const key = resolveKey(press);
  const sent =
    modes.kittyFlags === 0
      ? encodeLegacy(key, modes)
      : encodeKitty(pressOf(key), modes.kittyFlags, modes.applicationCursorKeys);
  // By LNM, after xterm, whatever sends CR sends LF with it: enter, but ctrl+m too.
  return encodeUtf8(modes.newLine ? sent.replace('\r', '\r\n') : sent);
}

/** One press as the protocol sees it. The layout is the US one: there is no base layout key. */
function pressOf(key: ResolvedKey): KittyKeyEvent {
  const text = textOf(key);
  return {
    ...(key.kind === 'named' ? pressOfNamed(key) : pressOfCharacter(key)),
    action: 'press',
    ...(text === undefined ? {} : { text }),
  };
}

const pressOfNamed = ({ name, held }: NamedKey) => ({ key: name, modifiers: held });

const pressOfCharacter = ({ base, typed, modifiers }: CharacterKey) => ({
  key: base,
  modifiers,
  ...(typed === base ? {} : { shiftedKey: typed }),
});

/** What the press types: nothing with other modifiers than shift, which makes the keypad move. */
function textOf(key: ResolvedKey): string | undefined {
  if (key.kind === 'character') {
    return (key.modifiers & ~modifierBits.shift) === 0 ? key.typed : undefined;
  }
  const types = key.held === 0 && key.name !== 'kp_enter';
  return types ? keypadKeys.get(key.name)?.text : undefined;
}
