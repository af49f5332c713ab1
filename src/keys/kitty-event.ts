import type { KeyAction } from '#model';

/** One event of the kitty keyboard protocol. */
export interface KittyKeyEvent {
  /** The name of a functional key, or the character of the key without modifiers. */
  readonly key: string;
  /** Bits of `modifierBits`, locks included. */
  readonly modifiers: number;
  readonly action: KeyAction;
  /** The character of the key with shift. */
  readonly shiftedKey?: string;
  /** The character of the key on a US layout, if it differs. */
  readonly baseLayoutKey?: string;
  /** The text that the event types, if any. */
  readonly text?: string;
}

/** The flags, one property per bit ("Progressive enhancement"). */
export interface Enhancements {
  readonly disambiguate: boolean;
  readonly events: boolean;
  readonly alternates: boolean;
  readonly allKeys: boolean;
  readonly text: boolean;
  /** No flag that replaces legacy sequences is set. */
  readonly legacy: boolean;
}

export const enhancements = (flags: number): Enhancements => ({
  disambiguate: (flags & 0b1) !== 0,
  events: (flags & 0b10) !== 0,
  alternates: (flags & 0b100) !== 0,
  allKeys: (flags & 0b1000) !== 0,
  text: (flags & 0b10000) !== 0,
  legacy: (flags & 0b1011) === 0,
});
