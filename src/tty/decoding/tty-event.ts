import type { KeyAction, KeyPress, MouseInput, Size } from '#model';

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
