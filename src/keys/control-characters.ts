// The characters below column 4 of ASCII, and their control characters.
const low = ' /2345678';
const lowControls = '\x00\x1f\x00\x1b\x1c\x1d\x1e\x1f\x7f';

/**
 * Returns the control character of a character with ctrl in X (Xlib, XLookupString), if it has one.
 */
export function xlibControl(char: string): string | undefined {
  const code = char.charCodeAt(0);
  if (code >= 0x40 && code < 0x7f) return String.fromCharCode(code & 0x1f);
  return low.includes(char) ? lowControls.charAt(low.indexOf(char)) : undefined;
}

/**
 * As {@link xlibControl}, in xterm, which adds ctrl+? for DEL. Returns other characters unchanged.
 */
export const xtermControl = (char: string): string =>
  char === '?' ? '\x7f' : (xlibControl(char) ?? char);

/**
 * As {@link xtermControl}, without four characters (kitty, "Legacy ctrl mapping of ASCII keys").
 */
export const kittyControl = (char: string): string =>
  '`{|}'.includes(char) ? char : xtermControl(char);
