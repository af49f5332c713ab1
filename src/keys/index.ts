export { encodeKey } from './encode.ts';
export { focusIn, focusOut } from './focus.ts';
export { keyNames } from './names.ts';
export { parseKey } from './parse.ts';
export { encodeText } from './paste.ts';
