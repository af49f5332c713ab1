/** All that the kitty keyboard protocol can say of one event. */
export interface KittyKeyEvent {
  /** The name of a functional key, or the character that the key types without modifiers. */
  readonly key: string;
  /** Bits of `modifierBits`, locks included. */
  readonly modifiers: number;
  readonly action: 'press' | 'repeat' | 'release';
  /** The character that the key types with shift. */
  readonly shiftedKey?: string;
  /** The character of the same key on a US layout, where that is another one. */
  readonly baseLayoutKey?: string;
  /** What the event types; absent where it types nothing. */
  readonly text?: string;
}

/** Progressive enhancement ("Progressive enhancement"), by bit of the flags. */
export interface Enhancements {
  readonly disambiguate: boolean;
  readonly events: boolean;
  readonly alternates: boolean;
  readonly allKeys: boolean;
  readonly text: boolean;
  /** None is on that replaces legacy sequences. */
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
