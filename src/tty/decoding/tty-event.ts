import { type ModifierName, modifierBits } from '#keys';
import type { KeyAction, KeyPress, MouseInput, Size } from '#model';
import type { ControlSequence } from './token.ts';

/** What a person's terminal sent. */
export type TtyEvent =
  | TtyKey
  /**
   * A bracketed paste, without its brackets. One of more than 1 MiB comes in parts.
   *
   * @param part the number of a part, from 1 on; absent for the first
   */
  | { readonly type: 'paste'; readonly text: string; readonly part?: number }
  /** The position can be outside of the window. */
  | { readonly type: 'mouse'; readonly mouse: MouseInput }
  | { readonly type: 'focus'; readonly focused: boolean }
  /** Mode 2048: the window has this size. */
  | { readonly type: 'size'; readonly size: Size }
  /** An answer to a query, late or not. Never typed. */
  | { readonly type: 'reply'; readonly reply: TtyReply }
  /** A sequence that the decoder does not know, to be passed on as it is. */
  | { readonly type: 'bytes'; readonly bytes: Uint8Array };

export interface TtyKey {
  readonly type: 'key';
  /** A character is itself, also the space. With the action, if that is not `press`. */
  readonly press: KeyPress;
  /** `repeat` and `release` only where the terminal reports them (kitty flag 2). */
  readonly action: KeyAction;
  /**
   * The bytes that made it, for programs that read the terminal unchanged. Empty for the second of
   * two keys that one sequence made.
   */
  readonly bytes: Uint8Array;
}

export type TtyReply =
  /** DA1: the last answer to a round of queries. */
  | { readonly of: 'attributes'; readonly values: readonly number[] }
  /** DSR: 0 if the terminal works. */
  | { readonly of: 'status'; readonly value: number }
  /** DA2 */
  | { readonly of: 'secondaryAttributes'; readonly values: readonly number[] }
  /** DA3 */
  | { readonly of: 'unit'; readonly id: string }
  /** XTVERSION */
  | { readonly of: 'version'; readonly text: string }
  /** DECRPM: 0 unknown, 1 set, 2 reset, 3 always set, 4 never set. */
  | { readonly of: 'mode'; readonly mode: number; readonly value: number }
  /** `CSI ? flags u` */
  | { readonly of: 'kittyFlags'; readonly flags: number }
  /** OSC 10 to 19: a colour as 0xRRGGBB. */
  | { readonly of: 'color'; readonly number: number; readonly rgb: number }
  /** OSC 4: a colour of the palette as 0xRRGGBB. */
  | { readonly of: 'paletteColor'; readonly index: number; readonly rgb: number }
  /** `CSI 6 ; height ; width t`, in pixels. */
  | { readonly of: 'cellPixels'; readonly width: number; readonly height: number }
  /** `CSI 4 ; height ; width t`, in pixels. */
  | { readonly of: 'areaPixels'; readonly width: number; readonly height: number }
  /** `CSI 8 ; rows ; cols t` */
  | { readonly of: 'areaSize'; readonly size: Size }
  /** XTGETTCAP: null if the terminal does not know the capability. */
  | { readonly of: 'capability'; readonly name: string; readonly value: string | null }
  /** Mode 2031: the colour scheme. */
  | { readonly of: 'scheme'; readonly dark: boolean }
  /** Any other answer. */
  | { readonly of: 'other'; readonly bytes: Uint8Array };

/** An event of a key, without its bytes. */
export type KeyEvent = Pick<TtyKey, 'press' | 'action'>;

const names: readonly ModifierName[] = ['ctrl', 'alt', 'shift', 'super', 'hyper', 'meta'];

/** @param mask bits of `modifierBits`; locks are ignored */
export function pressOf(key: string, mask = 0): KeyPress {
  if (mask === 0) return { key };
  const modifiers = names.filter((name) => mask & modifierBits[name]).map((name) => [name, true]);
  return { key, ...Object.fromEntries(modifiers) };
}

export const pressed = (key: string, mask = 0): KeyEvent => ({
  press: pressOf(key, mask),
  action: 'press',
});

export const acted = (press: KeyPress, action: KeyAction): KeyEvent => ({
  press: action === 'press' ? press : { ...press, action },
  action,
});

export const withAlt = ({ press, action }: KeyEvent): KeyEvent => ({
  press: { ...press, alt: true },
  action,
});

const { shift, alt, ctrl, super: superBit, meta } = modifierBits;

const keyboardModifiers = shift | alt | ctrl | superBit | modifierBits.hyper | meta;

/**
 * Returns the modifiers of a parameter, as bits, without the locks. The bit of super in the kitty
 * protocol is meta in xterm.
 */
export function heldOf(parameter: number, speaksKitty: boolean): number {
  const bits = Math.max(0, parameter - 1);
  if (speaksKitty) return bits & keyboardModifiers;
  return (bits & (shift | alt | ctrl)) | (bits & superBit ? meta : 0);
}

/** Returns the type of an event, the second part of its modifiers ("Event types"). */
export function actionOf({ parameters }: ControlSequence): TtyKey['action'] {
  switch (parameters[1]?.[1]) {
    case 2:
      return 'repeat';
    case 3:
      return 'release';
    default:
      return 'press';
  }
}
