import type { OutputEvent, ReadMark, ResizeEvent } from '#model';
import type { Readable } from '../watched.ts';
import { parseMark } from './read-mark.ts';

/** A resize, and the offset of the first byte of output after it. */
export interface KnownResize extends ResizeEvent {
  readonly offset: number;
}

/** The resizes of a session that are known: all after a revision, oldest first. */
export interface KnownResizes {
  readonly after: number;
  readonly resizes: readonly KnownResize[];
}

/** More is replaced by a state, in bytes. */
const maxBytes = 4 * 1024 * 1024;

/**
 * Returns the output and the resizes after a mark, which lead from the state at the mark to the present
 * one; null if not all of them are known any more. Output has no revision of its own: it has that of
 * the next resize or of the session.
 *
 * @param wallMs the present, in ms since 1970
 * @throws VtrError INVALID_MARK
 */
export function missedEvents(
  session: Readable,
  since: ReadMark,
  { after, resizes }: KnownResizes,
  wallMs: number,
): readonly (OutputEvent | ResizeEvent)[] | null {
  const mark = parseMark(session, since);
  if (mark.revision < after || session.outputEnd - mark.offset > maxBytes) return null;
  const missed: (OutputEvent | ResizeEvent)[] = [];
  const { revision } = session.terminal;
  const left = resizes.filter((each) => each.revision > mark.revision);
  let at = mark.offset;
  const output = (bytes: Uint8Array, before: number) => {
    missed.push({ type: 'output', revision: before, atMs: wallMs, offset: at, bytes });
    at += bytes.length;
  };
  for (let { offset, bytes } of session.rawOutput(mark.offset)) {
    if (offset !== at) return null;
    for (let next = left[0]; next && next.offset < offset + bytes.length; next = left[0]) {
      const part = bytes.subarray(0, next.offset - offset);
      if (part.length > 0) output(part, next.revision - 1);
      missed.push(resizeEvent(next));
      bytes = bytes.subarray(part.length);
      offset += part.length;
      left.shift();
    }
    output(bytes, left[0] === undefined ? revision : left[0].revision - 1);
  }
  if (at !== session.outputEnd) return null;
  return [...missed, ...left.map(resizeEvent)];
}

const resizeEvent = ({ offset: _, ...event }: KnownResize): ResizeEvent => event;
