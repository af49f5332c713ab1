export { encodeKey } from './encode.ts';
export { keyText } from './key-text.ts';
export { keyNames } from './names.ts';
export { parseKey } from './parse.ts';
export { encodeText, isPasted } from './paste.ts';
export { focusIn, focusOut } from './sequences.ts';
