import type { KeyPress, MouseInput, Size } from '#model';

/** What a person's terminal sent. */
export type TtyEvent =
  | TtyKey
  /** A bracketed paste, complete, without its brackets. */
  | { readonly type: 'paste'; readonly text: string }
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
  readonly press: KeyPress;
  /** `release` only where the terminal reports it (kitty flag 2). */
  readonly action: 'press' | 'repeat' | 'release';
  /** The bytes that made it, for programs that read the terminal unchanged. */
  readonly bytes: Uint8Array;
}

export type TtyReply =
  /** DA1: the last answer to a round of queries. */
  | { readonly of: 'attributes'; readonly values: readonly number[] }
  /** XTVERSION */
  | { readonly of: 'version'; readonly text: string }
  /** DECRPM: 0 unknown, 1 set, 2 reset, 3 always set, 4 never set. */
  | { readonly of: 'mode'; readonly mode: number; readonly value: number }
  /** `CSI ? flags u` */
  | { readonly of: 'kittyFlags'; readonly flags: number }
  /** OSC 10, 11 or 12: a colour as 0xRRGGBB. */
  | { readonly of: 'color'; readonly number: number; readonly rgb: number }
  /** `CSI 6 ; height ; width t`, in pixels. */
  | { readonly of: 'cellPixels'; readonly width: number; readonly height: number }
  /** Mode 2031: the colour scheme. */
  | { readonly of: 'scheme'; readonly dark: boolean }
  /** Any other answer. */
  | { readonly of: 'other'; readonly bytes: Uint8Array };
