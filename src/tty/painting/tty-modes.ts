import type { ViewModes } from '#model';
import type { Capabilities } from './capabilities.ts';

/** What is asked of a person's terminal while it shows a session. */
export interface TtyModes {
  /** Mouse events that it reports: none, presses, also motion with a button, all motion. */
  readonly mouse: 'none' | 'normal' | 'button' | 'any';
  /** Flags of the kitty keyboard protocol; 0 if it is not known to the terminal. */
  readonly kittyFlags: number;
}

/** Keys are told apart (1), with the key of the PC-101 layout and the shifted one (4). */
const ownKittyFlags = 1 | 4;
/** With all keys as escape codes (8), their text must be reported, too. */
const allKeys = 8;
const textOfKeys = 16;

/** What is asked while no program is shown: `enterTty` has set it. */
export const initialTtyModes = (capabilities: Capabilities): TtyModes => ({
  mouse: 'none',
  kittyFlags: capabilities.kittyKeyboard ? ownKittyFlags : 0,
});

/**
 * Returns what a program and its view need of a terminal. The program's own modes are never set there:
 * the decoder reads the terminal in its initial modes, and events are encoded again for the program.
 *
 * @param program null if there is none
 * @param mouse what the view itself needs
 */
export function ttyModesFor(
  program: ViewModes | null,
  mouse: TtyModes['mouse'],
  capabilities: Capabilities,
): TtyModes {
  const tracking = program?.mouseTracking ?? 'none';
  const mode = tracking === 'x10' ? 'normal' : tracking;
  const flags = program?.kittyFlags ?? 0;
  const text = (flags & allKeys) === 0 ? 0 : textOfKeys;
  return {
    mouse: mice.indexOf(mode) > mice.indexOf(mouse) ? mode : mouse,
    kittyFlags: capabilities.kittyKeyboard ? ownKittyFlags | flags | text : 0,
  };
}

const mice = ['none', 'normal', 'button', 'any'] as const;
const mouseModes = { none: null, normal: 1000, button: 1002, any: 1003 } as const;

/** Returns the output that changes what is asked. */
export function requestModes(before: TtyModes, after: TtyModes): string {
  let bytes = '';
  if (before.mouse !== after.mouse) {
    const [off, on] = [mouseModes[before.mouse], mouseModes[after.mouse]];
    if (off !== null) bytes += `\x1b[?${off}l`;
    // Positions as numbers (1006), so that they have no limit.
    if (on !== null) bytes += `\x1b[?${on}h\x1b[?1006h`;
    else bytes += '\x1b[?1006l';
  }
  if (before.kittyFlags !== after.kittyFlags) bytes += `\x1b[=${after.kittyFlags};1u`;
  return bytes;
}

/**
 * Returns the output with which attaching begins. It first resets what a viewer that was killed may
 * have left. Then: title pushed, alternate screen, bracketed paste, focus events, keys.
 */
export const enterTty = (capabilities: Capabilities): string =>
  entering(capabilities, capabilities.titles ? '\x1b[22;0t' : '');

/** Returns the output with which attaching goes on in a terminal that it has entered and not left. */
export const enterAgain = (capabilities: Capabilities): string => entering(capabilities, '');

function entering(capabilities: Capabilities, title: string): string {
  // Ends a string that was cut. Leaving the alternate screen restores the cursor even if it is not
  // shown: tmux to where it was last entered. So it is entered first.
  const reset = `\x1b\\\x1b[?1049h${resetTty(capabilities)}`;
  const optional = optionalModes(capabilities).join('');
  return `${reset}${title}\x1b[?1049h\x1b[?2004h\x1b[?1004h${optional}`;
}

/** Returns the output that asks for what {@link enterTty} did not, because it was not known then. */
export function enterMore(before: Capabilities, after: Capabilities): string {
  const modes = optionalModes(before);
  return optionalModes(after)
    .filter((bytes) => !modes.includes(bytes))
    .join('');
}

function optionalModes(capabilities: Capabilities): string[] {
  const { kittyKeyboard, otherKeys, colorScheme, sizeReports, clustersOnRequest } = capabilities;
  return [
    kittyKeyboard ? `\x1b[>${ownKittyFlags}u` : otherKeys ? '\x1b[>4;2m' : '',
    colorScheme ? '\x1b[?2031h' : '',
    sizeReports ? '\x1b[?2048h' : '',
    clustersOnRequest ? '\x1b[?2027h' : '',
  ];
}

/** Returns the output that leaves a terminal as it was before {@link enterTty}. May be repeated. */
export function leaveTty(capabilities: Capabilities): string {
  return resetTty(capabilities) + (capabilities.titles ? '\x1b[23;0t' : '');
}

/** Returns the output with which showing a program's own output begins: the title is pushed. */
export const enterRawTty = ({ titles }: Capabilities): string => (titles ? '\x1b[22;0t' : '');

/**
 * Returns the output that leaves a terminal in which a program's own output was shown, which may have set anything.
 * Its primary screen stays, and the cursor is below it: the alternate screen is entered, so that leaving it
 * restores the cursor of now.
 */
export function leaveRawTty(capabilities: Capabilities): string {
  const keys = capabilities.ignoresUnknown ? '\x1b[<99u' : '';
  return `\x1b\\\x1b(B\x1b)B\x0f\x1b[m${keys}\x1b[?1049h${leaveTty(capabilities)}${keys}\r\n`;
}

/** What a viewer sets, back to what a terminal begins with; that of 2027 is known from its answer. */
function resetTty(capabilities: Capabilities): string {
  return [
    '\x1b\\\x1b[?2026l',
    capabilities.ignoresUnknown ? '\x1b[<u\x1b[>4;0m' : '',
    '\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1005l\x1b[?1006l\x1b[?1015l\x1b[?1016l',
    '\x1b[?1004l\x1b[?2004l\x1b[?2031l\x1b[?2048l\x1b[?1l\x1b>',
    capabilities.clustersOnRequest ? '\x1b[?2027l' : '',
    capabilities.cursorShapes ? '\x1b[0 q' : '',
    '\x1b[?5l\x1b[?7h\x1b[?25h',
    capabilities.hyperlinks ? '\x1b]8;;\x1b\\' : '',
    '\x1b[?6l\x1b[4l\x1b[r\x1b[m\x1b[?1049l',
  ].join('');
}
