/**
 * Messages of the Asciinema Live Stream protocol, version 1. Source: docs.asciinema.org/manual/alis/v1.
 * Numbers are unsigned LEB128, times microseconds.
 */
import { encodeLeb128, encodeUtf8 } from '#base';

/** The first message. */
export const magic: Uint8Array = encodeUtf8('ALiS\x01');

/** No more events until the next {@link initMessage}. */
export const endMessage: Uint8Array = Uint8Array.of(0x04);

export interface Init {
  readonly cols: number;
  readonly rows: number;
  /** What makes the screen. */
  readonly init: Uint8Array;
}

/** Begins, or begins again at another state. */
export const initMessage = ({ cols, rows, init }: Init): Uint8Array =>
  // The last event is 0, the time 0, and the theme the player's.
  message(0x01, [0, 0, cols, rows, 0, init.length], init);

/** @param relativeUs since the event before */
export const outputMessage = (id: number, relativeUs: number, bytes: Uint8Array): Uint8Array =>
  message(typeOf('o'), [id, relativeUs, bytes.length], bytes);

export const resizeMessage = (
  id: number,
  relativeUs: number,
  { cols, rows }: { readonly cols: number; readonly rows: number },
): Uint8Array => message(typeOf('r'), [id, relativeUs, cols, rows]);

export const exitMessage = (id: number, relativeUs: number, status: number): Uint8Array =>
  message(typeOf('x'), [id, relativeUs, status]);

const none = new Uint8Array();

const typeOf = (letter: string): number => letter.charCodeAt(0);

function message(type: number, numbers: readonly number[], bytes: Uint8Array = none): Uint8Array {
  const head = [Uint8Array.of(type), ...numbers.map(encodeLeb128)];
  return Buffer.concat([...head, bytes]);
}
