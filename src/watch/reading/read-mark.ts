import { type ReadMark, startMark, VtrError } from '#model';
import type { Readable } from '../watched.ts';

/** What a mark says; to its holder it is opaque. */
export interface Mark {
  /** The state that had been seen. */
  readonly revision: number;
  /** Absolute offset of the next byte of output. */
  readonly offset: number;
  /** The line that output went on in. */
  readonly line: number;
  /** How much of that line stood left of the cursor, in UTF-16 code units, and what. */
  readonly length: number;
  readonly hash: number;
}

const version = 'r1';
/** So much of a session's id tells it from others. */
const idLength = 8;
const numbers = 5;

/** The place in the output where a session is now. */
export function markNow(session: Readable): ReadMark {
  const { line, before } = session.outputPlace();
  const fields = [session.shownRevision, session.outputEnd, line, before.length, hashOf(before)];
  const parts = fields.map((field) => field.toString(36));
  return [version, session.id.slice(0, idLength), ...parts].join('-');
}

/** @throws VtrError INVALID_MARK */
export function parseMark(session: Readable, mark: ReadMark): Mark {
  if (mark === startMark) return start;
  const [form, id, ...parts] = mark.split('-');
  const fields = parts.map((part) => (/^[0-9a-z]{1,11}$/.test(part) ? parseInt(part, 36) : -1));
  const isMark = form === version && fields.length === numbers && !fields.includes(-1);
  if (!isMark)
    throw invalid(mark, 'it is no mark; give one that a read, a wait or a send answered');
  if (id !== session.id.slice(0, idLength)) throw invalid(mark, 'it is of another session');
  const [revision, offset, line, length, hash] = fields as [number, number, number, number, number];
  if (offset <= session.outputEnd) return { revision, offset, line, length, hash };
  throw invalid(mark, 'the session has not written as much');
}

/** Whether a line begins with what stood left of the cursor. */
export function beginsAsMarked({ length, hash }: Mark, text: string): boolean {
  // Blanks at the end of a line are cut when it is read, and may be more or fewer by then.
  return hashOf(text.slice(0, length)) === hash;
}

/** FNV-1a over UTF-16 code units, blanks at the end left out. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (const unit of text.trimEnd().split(''))
    hash = Math.imul(hash ^ unit.charCodeAt(0), 0x01000193);
  return hash >>> 0;
}

/** {@link startMark}. */
const start: Mark = { revision: 0, offset: 0, line: 0, length: 0, hash: hashOf('') };

function invalid(mark: string, reason: string): VtrError {
  return new VtrError('INVALID_MARK', `mark ${JSON.stringify(mark.slice(0, 80))}: ${reason}`);
}
