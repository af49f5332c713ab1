import type { KeyModes } from '#model';
import { xtermControl } from './control-characters.ts';
import { altPrefix, encodeControlKey } from './control-keys.ts';
import { encodeFunctionKey, xtermFunctionKeys } from './function-keys.ts';
import { type KeypadKey, keypadKeys, keypadTwins } from './keypad.ts';
import { modifierBits, xtermParameter } from './modifiers.ts';
import { reportOtherKey } from './modify-other-keys.ts';
import { type CharacterKey, type NamedKey, onBaseLayout, type ResolvedKey } from './resolve.ts';
import { ss3 } from './sequences.ts';

/**
 * Encodes a key as xterm does. Returns an empty string for keys without a legacy encoding (media
 * keys, modifiers alone). Ignores super and hyper.
 */
export function encodeLegacy(given: ResolvedKey, modes: KeyModes): string {
  // No program of these modes has combinations with characters outside of ASCII.
  const key = given.kind === 'character' ? onBaseLayout(given) : given;
  const reported = reportOtherKey(key, modes);
  if (reported !== undefined) return reported;
  return key.kind === 'character' ? encodeCharacter(key) : encodeNamed(key, modes);
}

function encodeCharacter(key: CharacterKey): string {
  const sent = key.held & modifierBits.ctrl ? xtermControl(key.typed) : key.typed;
  return altPrefix(key.held) + sent;
}

function encodeNamed(key: NamedKey, modes: KeyModes): string {
  const name = keypadTwins.get(key.name) ?? key.name;
  const functionKey = xtermFunctionKeys.get(name);
  if (functionKey) {
    return encodeFunctionKey(functionKey, xtermParameter(key.held), modes.applicationCursorKeys);
  }
  const keypadKey = keypadKeys.get(name);
  if (keypadKey) return encodeKeypadKey(keypadKey, key.held, modes.applicationKeypad);
  return encodeControlKey(name, key.held, modes.backarrowSendsBackspace);
}

function encodeKeypadKey(key: KeypadKey, held: number, applicationKeypad: boolean): string {
  if (!applicationKeypad) return altPrefix(held) + key.text;
  const parameter = xtermParameter(held);
  // Only on the keypad, xterm puts the parameter into the SS3 sequence.
  return `${ss3}${parameter === 1 ? '' : parameter}${key.final}`;
}
