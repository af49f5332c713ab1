import type { Size } from '#model';

/** Lines that every engine keeps. */
export const scrollbackLines = 10_000;

/** Something that takes output; when `feed` returns, what it shows is up to date. */
export interface Engine {
  feed(chunk: Uint8Array): void;
}

export type MakeEngine = (size: Size) => Engine;
