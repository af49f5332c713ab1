import { encodeUtf8 } from '#base';
import {
  type CellPixels,
  defaultCellPixels,
  type KeyModes,
  type MouseInput,
  type ViewModes,
} from '#model';
import { encodeKey } from './encode.ts';
import { csi } from './sequences.ts';

/** The modes that determine what the mouse sends. */
export type MouseModes = KeyModes &
  Pick<ViewModes, 'mouseTracking' | 'mouseEncoding' | 'alternateScroll'>;

type Place = Pick<MouseInput, 'row' | 'col'>;

export interface MouseContext {
  /** The cell of the last event that was sent: moves within it are not reported. Default: none. */
  readonly previous?: Place | null;
  /** For mode 1016. Default: as programs are told by default. */
  readonly cellPixels?: CellPixels;
}

const nothing = new Uint8Array(0);

/**
 * Encodes an event of the mouse as xterm does (ctlseqs, "Mouse Tracking"). Returns no bytes for an
 * event that the program did not request, and for a cell that the encoding cannot express: beyond
 * 223 columns or rows in the default encoding, where xterm sends NUL, and beyond 2015 in mode 1005.
 *
 * If no events are requested, the wheel sends cursor keys on the alternate screen in mode 1007.
 */
export function encodeMouse(
  event: MouseInput,
  modes: MouseModes,
  { previous = null, cellPixels = defaultCellPixels }: MouseContext = {},
): Uint8Array {
  if (modes.mouseTracking === 'none') return encodeAlternateScroll(event, modes);
  if (!isRequested(event, modes, previous)) return nothing;
  const code = buttonCode(event, modes);
  switch (modes.mouseEncoding) {
    case 'default':
      return encodeBytes(code, event);
    case 'utf8':
      return encodeCharacters(code, event);
    case 'urxvt':
      return encodeUtf8(`${csi}${code + 32};${event.col + 1};${event.row + 1}M`);
    case 'sgr':
      return encodeUtf8(sgr(event, code, event.col, event.row));
    case 'sgrPixels':
      return encodeUtf8(sgr(event, code, ...center(event, cellPixels)));
  }
}

/** The lines by which a step of the wheel scrolls in xterm. */
const linesPerStep = 5;

function encodeAlternateScroll({ action }: MouseInput, modes: MouseModes): Uint8Array {
  if (!modes.alternateScreen || !modes.alternateScroll) return nothing;
  if (action !== 'scrollUp' && action !== 'scrollDown') return nothing;
  const key = encodeKey({ key: action === 'scrollUp' ? 'up' : 'down' }, modes);
  const keys = new Uint8Array(key.length * linesPerStep);
  for (let at = 0; at < keys.length; at += key.length) keys.set(key, at);
  return keys;
}

function isRequested(event: MouseInput, modes: MouseModes, previous: Place | null): boolean {
  const { action, button = 'left', row, col } = event;
  const { mouseTracking } = modes;
  // X10 has three buttons.
  if (mouseTracking === 'x10') return action === 'press' && button in x10Buttons;
  if (action !== 'move') return true;
  if (previous?.row === row && previous.col === col) return false;
  const isDrag = (event.button ?? 'none') !== 'none';
  return mouseTracking === 'any' || (mouseTracking === 'button' && isDrag);
}

const x10Buttons = { left: 0, middle: 1, right: 2 };
const buttonCodes = { ...x10Buttons, none: 3, back: 128, forward: 129 };
const wheelCodes = { scrollUp: 64, scrollDown: 65, scrollLeft: 66, scrollRight: 67 };
const motion = 32;

/** Without the offset of 32 that all encodings except SGR add. */
function buttonCode(event: MouseInput, { mouseTracking, mouseEncoding }: MouseModes): number {
  const { action } = event;
  const { shift = false, alt = false, ctrl = false } = mouseTracking === 'x10' ? {} : event;
  const modifiers = (shift ? 4 : 0) + (alt ? 8 : 0) + (ctrl ? 16 : 0);
  switch (action) {
    case 'press':
      return modifiers + buttonCodes[event.button ?? 'left'];
    case 'move':
      return modifiers + motion + buttonCodes[event.button ?? 'none'];
    case 'release':
      return (
        modifiers + (isSgr(mouseEncoding) ? buttonCodes[event.button ?? 'left'] : buttonCodes.none)
      );
    default:
      return modifiers + wheelCodes[action];
  }
}

const isSgr = (encoding: MouseModes['mouseEncoding']): boolean =>
  encoding === 'sgr' || encoding === 'sgrPixels';

/** @param x 0-based, as `y` */
const sgr = ({ action }: MouseInput, code: number, x: number, y: number): string =>
  `${csi}<${code};${x + 1};${y + 1}${action === 'release' ? 'm' : 'M'}`;

/** Returns the pixel in the middle of a cell, x first. */
const center = ({ row, col }: Place, { width, height }: CellPixels): [number, number] => [
  col * width + Math.floor(width / 2),
  row * height + Math.floor(height / 2),
];

function encodeBytes(code: number, { row, col }: Place): Uint8Array {
  const values = [code, col + 1, row + 1].map((value) => value + 32);
  if (values.some((value) => value > 0xff)) return nothing;
  return Uint8Array.from([...encodeUtf8(`${csi}M`), ...values]);
}

/** Mode 1005: as the default, in UTF-8 of at most two bytes each. */
function encodeCharacters(code: number, { row, col }: Place): Uint8Array {
  const values = [code, col + 1, row + 1].map((value) => value + 32);
  if (values.some((value) => value > 0x7ff)) return nothing;
  return encodeUtf8(`${csi}M${String.fromCharCode(...values)}`);
}
