import { defined, encodeUtf8 } from '#base';
import type { KeyAction, KeyModes, KeyPress } from '#model';
import {
  encodeFunctionKey,
  type KeypadKey,
  keypadKeys,
  keypadTwins,
  xtermFunctionKeys,
} from './function-keys.ts';
import { encodeKitty, type KittyKeyEvent } from './kitty.ts';
import { keyText } from './parse.ts';
import {
  type CharacterKey,
  type NamedKey,
  onBaseLayout,
  type ResolvedKey,
  resolveKey,
} from './resolve.ts';
import {
  altPrefix,
  backarrow,
  csi,
  encodeControlKey,
  heldModifiers,
  modifierBits,
  modifierNames,
  ss3,
  xlibControl,
  xtermControl,
  xtermModifiers,
  xtermParameter,
} from './sequences.ts';

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
  const sequence =
    modes.kittyFlags === 0
      ? encodeOnce(key, modes, action)
      : encodeKitty(eventOf(key, action), modes.kittyFlags, modes.applicationCursorKeys);
  // In LNM every key that sends CR also sends LF, as in xterm: enter, but also ctrl+m.
  return encodeUtf8(modes.newLine ? sequence.replace('\r', '\r\n') : sequence);
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
    ...defined({ text }),
  };
}

const eventOfNamed = ({ name, bits }: NamedKey) => ({ key: name, modifiers: bits });

const eventOfCharacter = ({ base, typed, modifiers, baseLayoutKey }: CharacterKey) => ({
  key: base,
  modifiers,
  ...(typed === base ? {} : { shiftedKey: typed }),
  ...defined({ baseLayoutKey }),
});

/** The text of a press: none with modifiers other than shift; with shift, none on the keypad. */
function textOf(key: ResolvedKey): string | undefined {
  if (key.kind === 'character') {
    return (key.modifiers & ~modifierBits.shift) === 0 ? key.typed : undefined;
  }
  const types = key.bits === 0 && key.name !== 'kp_enter';
  return types ? keypadKeys.get(key.name)?.text : undefined;
}

/**
 * Returns the short form of the key that a program receives instead of a press: `enter` for shift+enter if it has
 * enabled neither modifyOtherKeys nor the kitty protocol. Null if it can tell the press from every key with fewer
 * modifiers.
 *
 * @throws VtrError INVALID_KEY
 */
export function plainKey(press: KeyPress, modes: KeyModes): string | null {
  if (press.action === 'release' || heldModifiers(press) === 0) return null;
  const bytes = encodeKey(press, modes);
  if (bytes.length === 0) return null;
  const keyName = keyText(press);
  const modifiers = modifierNames.filter((name) => press[name]);
  const plain = subsets(modifiers)
    .map((subset) => withOnly(press, subset))
    .find((other) => isSame(encodeKey(other, modes), bytes));
  const text = plain === undefined ? keyName : keyText(plain);
  return text === keyName ? null : text;
}

type Held = readonly (typeof modifierNames)[number][];

/** Returns all subsets, from the smallest to the whole. */
function subsets(modifiers: Held): Held[] {
  const sets: Held[] = [[]];
  for (const name of modifiers) sets.push(...sets.map((each) => [...each, name]));
  return sets.sort((one, other) => one.length - other.length);
}

function withOnly(press: KeyPress, subset: Held): KeyPress {
  const others = Object.fromEntries(modifierNames.map((name) => [name, subset.includes(name)]));
  return { ...press, ...others };
}

const isSame = (one: Uint8Array, other: Uint8Array): boolean =>
  one.length === other.length && one.every((byte, at) => byte === other[at]);

/**
 * Encodes a key as xterm does. Returns an empty string for keys without a legacy encoding (media
 * keys, modifiers alone). Ignores super and hyper.
 */
function encodeLegacy(resolved: ResolvedKey, modes: KeyModes): string {
  // No program of these modes has combinations with characters outside of ASCII.
  const key = resolved.kind === 'character' ? onBaseLayout(resolved) : resolved;
  const reported = reportOtherKey(key, modes);
  if (reported !== undefined) return reported;
  return key.kind === 'character' ? encodeCharacter(key) : encodeNamed(key, modes);
}

function encodeCharacter(key: CharacterKey): string {
  const character = key.bits & modifierBits.ctrl ? xtermControl(key.typed) : key.typed;
  return altPrefix(key.bits) + character;
}

function encodeNamed(key: NamedKey, modes: KeyModes): string {
  const name = keypadTwins.get(key.name) ?? key.name;
  const functionKey = xtermFunctionKeys.get(name);
  if (functionKey) {
    return encodeFunctionKey(functionKey, xtermParameter(key.bits), modes.applicationCursorKeys);
  }
  const keypadKey = keypadKeys.get(name);
  if (keypadKey) return encodeKeypadKey(keypadKey, key.bits, modes.applicationKeypad);
  return encodeControlKey(name, key.bits, modes.backarrowSendsBackspace);
}

function encodeKeypadKey(key: KeypadKey, modifiers: number, applicationKeypad: boolean): string {
  if (!applicationKeypad) return altPrefix(modifiers) + key.text;
  const parameter = xtermParameter(modifiers);
  // Only on the keypad, xterm puts the parameter into the SS3 sequence.
  return `${ss3}${parameter === 1 ? '' : parameter}${key.final}`;
}

const { shift, alt, ctrl, meta } = modifierBits;

/**
 * Encodes a key that is not a function key by xterm's modifyOtherKeys:
 * `CSI 27 ; modifiers ; code ~`, or with formatOtherKeys 1 `CSI code ; modifiers u`. Returns
 * undefined for a key that keeps its usual encoding: on level 1 combinations that have a meaning
 * already, on level 2 only those of shift (ctlseqs, "Alt and Meta Keys"; xterm(1),
 * modifyOtherKeys).
 */
function reportOtherKey(key: ResolvedKey, modes: KeyModes): string | undefined {
  const mask = xtermModifiers(key.bits);
  if (mask === 0 || modes.modifyOtherKeys === 0) return undefined;
  const code = codeOf(key, modes.backarrowSendsBackspace);
  if (code === undefined) return undefined;
  const isReported = modes.modifyOtherKeys === 1 ? level1(key, mask) : level2(key, mask, code);
  const modifiers = key.kind === 'character' ? key.modifiers : mask;
  if (!isReported) return undefined;
  const parameter = xtermParameter(modifiers);
  return modes.formatOtherKeys === 1
    ? `${csi}${code};${parameter}u`
    : `${csi}27;${parameter};${code}~`;
}

function codeOf(key: ResolvedKey, backarrowSendsBackspace: boolean): number | undefined {
  if (key.kind === 'character') return key.typed.codePointAt(0);
  switch (key.name) {
    case 'enter':
      return 13;
    case 'tab':
      return 9;
    case 'escape':
      return 27;
    case 'backspace':
      return backarrow(key.bits, backarrowSendsBackspace).charCodeAt(0);
    default:
      return undefined;
  }
}

function level1(key: ResolvedKey, modifiers: number): boolean {
  // Alt is the usual ESC prefix.
  const prefixed = (modifiers & (alt | meta)) !== 0;
  if (key.kind === 'character')
    return (modifiers & ctrl) !== 0 && xlibControl(key.typed) === undefined;
  if (key.name === 'enter') return !prefixed || (modifiers & shift) !== 0;
  return key.name === 'tab' && modifiers === ctrl;
}

function level2(key: ResolvedKey, modifiers: number, code: number): boolean {
  if (key.kind === 'character') return modifiers !== shift || hasControlKey(key, code);
  if (key.name === 'tab') return modifiers !== shift;
  return key.name !== 'backspace' || modifiers !== ctrl;
}

/** Characters that are reported with shift alone too: columns 4 to 7 of ASCII, and space. */
const hasControlKey = (key: CharacterKey, code: number): boolean =>
  (code >= 0x40 && code <= 0x7f) || key.typed === ' ';
