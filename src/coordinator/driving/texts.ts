import { sanitize } from '#base';
import { VtrError } from '#model';

/** The limit of a name, in UTF-16 code units: it comes from a client's own text, and is truncated. */
const maxName = 64;
/** The limit of a note, in UTF-16 code units. */
const maxNote = 1000;

/** Returns a name for people: one line. */
export function nameOf(text: string | undefined, usual: string): string {
  const name = sanitize(text ?? '')
    .text.replace(/\s+/g, ' ')
    .trim()
    .slice(0, maxName);
  return name === '' ? usual : name;
}

/** Returns a note for people and models; null if it is empty. @throws VtrError INVALID_ARGUMENT */
export function noteOf(text: string | undefined): string | null {
  const note = sanitize(text ?? '').text.trim();
  if (note.length <= maxNote) return note === '' ? null : note;
  throw new VtrError(
    'INVALID_ARGUMENT',
    `the note has ${note.length} characters; use at most ${maxNote}`,
  );
}
