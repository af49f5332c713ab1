export { encodeKey } from './encode.ts';
export { encodeMouse, type MouseContext, type MouseModes } from './mouse.ts';
export { keyNames } from './names.ts';
export { parseKey } from './parse.ts';
export { encodeText, isPasted } from './paste.ts';
export { focusIn, focusOut } from './sequences.ts';
