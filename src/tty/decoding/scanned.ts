import type { Token } from './token.ts';

/** Bytes to split into tokens. */
export interface Input {
  readonly bytes: Uint8Array;
  /** No bytes follow. Else a token that more bytes could continue is not split off. */
  readonly ends: boolean;
  /** Mode 1005: `CSI M` is followed by three characters, else by three bytes. */
  readonly utf8Mouse: boolean;
}

export interface Scanned {
  readonly token: Token;
  /** In bytes. At least 1, but for the end of a string whose parts were split off. */
  readonly length: number;
}

export const unknown = (length: number): Scanned => ({ token: { kind: 'unknown' }, length });
