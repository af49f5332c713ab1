import { quoted, textHash } from '#base';
import { type OutputEvent, type ReadMark, type ResizeEvent, startMark, VtrError } from '#model';
import type { Readable } from '../watched.ts';

/** The contents of a read mark; opaque to clients. */
export interface Mark {
  /** The revision that had been read. */
  readonly revision: number;
  /** The absolute offset of the next byte of output. */
  readonly offset: number;
  /** The line in which output continued; on the alternate screen, that of the primary screen. */
  readonly line: number;
  /** Length of the text of that line left of the cursor, in UTF-16 code units. */
  readonly length: number;
  /** Hash of that text. */
  readonly hash: number;
}

const version = 'r1';
/** A prefix of this length distinguishes session ids. */
const idLength = 8;
const fieldCount = 5;

type Marked = Pick<Readable, 'id' | 'outputEnd'> & {
  readonly keepShown?: () => void;
  readonly terminal: Pick<Readable['terminal'], 'linePosition' | 'shownRevision'>;
};

/** Returns a mark at the current end of a session's output. */
export function markNow(session: Marked): ReadMark {
  const { line, before } = session.terminal.linePosition();
  session.keepShown?.();
  const fields = [
    session.terminal.shownRevision,
    session.outputEnd,
    line,
    before.length,
    hashOf(before),
  ];
  const parts = fields.map((field) => field.toString(36));
  return [version, session.id.slice(0, idLength), ...parts].join('-');
}

/** Parses a mark. @throws VtrError INVALID_MARK */
export function parseMark(session: Readable, mark: ReadMark): Mark {
  if (mark === startMark) return { ...start, line: session.startLine };
  const [form, id, ...parts] = mark.split('-');
  const fields = parts.map((part) => (/^[0-9a-z]{1,11}$/.test(part) ? parseInt(part, 36) : -1));
  const isMark = form === version && fields.length === fieldCount && !fields.includes(-1);
  if (!isMark) throw invalid(mark, 'is not valid; use one returned by a read, a wait or a send');
  if (id !== session.id.slice(0, idLength))
    throw invalid(mark, 'does not belong to this session; use a mark of this session');
  const [revision, offset, line, length, hash] = fields as [number, number, number, number, number];
  if (offset <= session.outputEnd) return { revision, offset, line, length, hash };
  throw invalid(mark, 'is past the end of the output; use a mark of this session');
}

/** Returns the offset of a mark; 0 for no mark, or for an invalid one. */
export function markOffset(session: Readable, mark: ReadMark | undefined): number {
  try {
    return mark === undefined ? 0 : parseMark(session, mark).offset;
  } catch {
    return 0;
  }
}

/** Returns whether a line begins with the text that was left of the cursor. */
export function beginsAsMarked({ length, hash }: Mark, text: string): boolean {
  // A line is read without trailing blanks, and their number may have changed.
  return hashOf(text.slice(0, length)) === hash;
}

const hashOf = (text: string): number => textHash(text.trimEnd());

/** The contents of {@link startMark}, except the line. */
const start = { revision: 0, offset: 0, length: 0, hash: hashOf('') };

function invalid(mark: string, problem: string): VtrError {
  return new VtrError('INVALID_MARK', `mark ${quoted(mark)} ${problem}`);
}

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
