import type { Size } from '#model';

/** The lines of scrollback of every engine. */
export const scrollbackLines = 10_000;

/** A terminal engine; when `feed` returns, its screen is up to date. */
export interface Engine {
  feed(chunk: Uint8Array): void;
}

export type MakeEngine = (size: Size) => Engine;
