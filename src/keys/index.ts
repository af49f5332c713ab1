export { encodeKey, plainKey } from './encode.ts';
export { keypadKeys, kittyFunctionKeys, silentKeys, xtermFunctionKeys } from './function-keys.ts';
export {
  actionName,
  directBindings,
  directModes,
  type KeyBindings,
  keyBindings,
  keyModes,
  keyProblems,
} from './key-bindings.ts';
export { type Command, type KeyMode, keyRows } from './key-table.ts';
export { encodeMouse, type MouseContext, type MouseModes } from './mouse.ts';
export { isCharacter, keyNames } from './names.ts';
export { keyText, parseKey } from './parse.ts';
export { encodeText, endOfLastLine, isPasted, pasteEnd } from './paste.ts';
export { withoutShift, withShift } from './resolve.ts';
export { focusIn, focusOut, type ModifierName, modifierBits } from './sequences.ts';
