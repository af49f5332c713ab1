export { encodeKey } from './encode.ts';
export { xtermFunctionKeys } from './function-keys.ts';
export {
  actionName,
  type KeyBindings,
  keyBindings,
  keyModes,
  keyProblems,
} from './key-bindings.ts';
export { type Command, type KeyMode, keyRows } from './key-table.ts';
export { keypadKeys } from './keypad.ts';
export { kittyFunctionKeys, silentKeys } from './kitty-codes.ts';
export { type ModifierName, modifierBits } from './modifiers.ts';
export { encodeMouse, type MouseContext, type MouseModes } from './mouse.ts';
export { isCharacter, keyNames } from './names.ts';
export { keyText, parseKey } from './parse.ts';
export { encodeText, endOfLastLine, isPasted, pasteEnd } from './paste.ts';
export { plainKey } from './plain-key.ts';
export { focusIn, focusOut } from './sequences.ts';
export { withoutShift, withShift } from './us-layout.ts';
