import { encodeUtf8 } from '#base';
import type { KeyAction, KeyModes, KeyPress } from '#model';
import { keypadKeys } from './keypad.ts';
import { encodeKitty } from './kitty.ts';
import type { KittyKeyEvent } from './kitty-event.ts';
import { encodeLegacy } from './legacy.ts';
import { modifierBits } from './modifiers.ts';
import { type CharacterKey, type NamedKey, type ResolvedKey, resolveKey } from './resolve.ts';

/**
 * Encodes one event of a key: by the kitty keyboard protocol if the program has set any of its
 * flags, else as xterm does. Returns no bytes for an event that sends none, such as a modifier alone,
 * or a release that the program has not requested. Outside of the protocol, super and hyper are
 * ignored, as xterm does not have them.
 *
 * @throws VtrError INVALID_KEY; `details.nearest` has similar names.
 */
export function encodeKey(press: KeyPress, modes: KeyModes): Uint8Array {
  const key = resolveKey(press);
  const action = press.action ?? 'press';
  const sent =
    modes.kittyFlags === 0
      ? encodeOnce(key, modes, action)
      : encodeKitty(eventOf(key, action), modes.kittyFlags, modes.applicationCursorKeys);
  // In LNM every key that sends CR also sends LF, as in xterm: enter, but also ctrl+m.
  return encodeUtf8(modes.newLine ? sent.replace('\r', '\r\n') : sent);
}

/** Only the kitty protocol has releases. */
const encodeOnce = (key: ResolvedKey, modes: KeyModes, action: KeyAction): string =>
  action === 'release' ? '' : encodeLegacy(key, modes);

/** Converts a key to an event of the protocol. A release has no text. */
function eventOf(key: ResolvedKey, action: KeyAction): KittyKeyEvent {
  const text = action === 'release' ? undefined : textOf(key);
  return {
    ...(key.kind === 'named' ? eventOfNamed(key) : eventOfCharacter(key)),
    action,
    ...(text === undefined ? {} : { text }),
  };
}

const eventOfNamed = ({ name, held }: NamedKey) => ({ key: name, modifiers: held });

const eventOfCharacter = ({ base, typed, modifiers, baseLayoutKey }: CharacterKey) => ({
  key: base,
  modifiers,
  ...(typed === base ? {} : { shiftedKey: typed }),
  ...(baseLayoutKey === undefined ? {} : { baseLayoutKey }),
});

/** The text of a press: none with modifiers other than shift; with shift, none on the keypad. */
function textOf(key: ResolvedKey): string | undefined {
  if (key.kind === 'character') {
    return (key.modifiers & ~modifierBits.shift) === 0 ? key.typed : undefined;
  }
  const types = key.held === 0 && key.name !== 'kp_enter';
  return types ? keypadKeys.get(key.name)?.text : undefined;
}
