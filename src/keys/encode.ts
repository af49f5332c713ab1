import { encodeUtf8 } from '#base';
import type { KeyModes, KeyPress } from '#model';
import { keypadKeys } from './keypad.ts';
import { encodeKitty } from './kitty.ts';
import type { KittyKeyEvent } from './kitty-event.ts';
import { encodeLegacy } from './legacy.ts';
import { modifierBits } from './modifiers.ts';
import { type CharacterKey, type NamedKey, type ResolvedKey, resolveKey } from './resolve.ts';

/**
 * Encodes one key press on a US keyboard: by the kitty keyboard protocol if the program has set any
 * of its flags, else as xterm does. Returns no bytes for a key that sends none, such as a modifier
 * alone. Outside of the protocol, super and hyper are ignored, as xterm does not have them.
 *
 * @throws VtrError INVALID_KEY; `details.nearest` has similar names.
 */
export function encodeKey(press: KeyPress, modes: KeyModes): Uint8Array {
  const key = resolveKey(press);
  const sent =
    modes.kittyFlags === 0
      ? encodeLegacy(key, modes)
      : encodeKitty(pressOf(key), modes.kittyFlags, modes.applicationCursorKeys);
  // In LNM every key that sends CR also sends LF, as in xterm: enter, but also ctrl+m.
  return encodeUtf8(modes.newLine ? sent.replace('\r', '\r\n') : sent);
}

/**
 * Converts a key press to an event of the protocol. The layout is US, so there is no base layout
 * key.
 */
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

/** The text of a press: none with modifiers other than shift; with shift, none on the keypad. */
function textOf(key: ResolvedKey): string | undefined {
  if (key.kind === 'character') {
    return (key.modifiers & ~modifierBits.shift) === 0 ? key.typed : undefined;
  }
  const types = key.held === 0 && key.name !== 'kp_enter';
  return types ? keypadKeys.get(key.name)?.text : undefined;
}
