import type { Token } from './token.ts';

/** Bytes to split into tokens. */
export interface Input {
  readonly bytes: Uint8Array;
  /** No bytes follow. If more may follow, a token that they could continue is not split off. */
  readonly ends: boolean;
  /** In mode 1005, three characters follow `CSI M`; in other modes, three bytes. */
  readonly utf8Mouse: boolean;
}

export interface Scanned {
  readonly token: Token;
  /** In bytes. At least 1, but for the end of a string whose parts were split off. */
  readonly length: number;
}

export const unknown = (length: number): Scanned => ({ token: { kind: 'unknown' }, length });
