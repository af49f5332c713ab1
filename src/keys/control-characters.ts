// The characters below column 4 of ASCII, with what ctrl makes of them.
const low = ' /2345678';
const lowControls = '\x00\x1f\x00\x1b\x1c\x1d\x1e\x1f\x7f';

/**
 * The control character that ctrl makes of a character in X (Xlib, XLookupString); undefined where
 * it makes none.
 */
export function xlibControl(char: string): string | undefined {
  const code = char.charCodeAt(0);
  if (code >= 0x40 && code < 0x7f) return String.fromCharCode(code & 0x1f);
  return low.includes(char) ? lowControls.charAt(low.indexOf(char)) : undefined;
}

/** What ctrl makes of a character in xterm, which adds ctrl+? for DEL. */
export const xtermControl = (char: string): string =>
  char === '?' ? '\x7f' : (xlibControl(char) ?? char);

/** The same in the kitty protocol ("Legacy ctrl mapping of ASCII keys"), but for four. */
export const kittyControl = (char: string): string =>
  '`{|}'.includes(char) ? char : xtermControl(char);
