import { VtrError } from '#model';

/**
 * The most bytes that an agent without pastes, such as Nanocoder, gets at once: it loses what it reads before it has
 * drawn the bytes before. Linux passes them on together, as they fit into one buffer (`TTY_BUFFER_PAGE` in tty_buffer.c).
 */
export const pieceBytes = 1_536;
/** The most bytes of a text for such an agent: more pieces would take longer than a client waits. */
const maxBytes = 96 * pieceBytes;

/** What has a meaning for Enter at the end of a draft: a line that goes on, or a name to complete. */
const takesEnter = /(?:\\|(?:^|\s)[@#$]\S*|\s\/\S*)$/u;

/** Returns what is typed for a prompt: without the line ends at its end, which Enter replaces. */
export function typedPrompt(text: string, isForAgent: boolean): string {
  const line = text.replace(/[\r\n]+$/, '');
  // Behind a blank, Enter submits.
  return isForAgent && takesEnter.test(line) ? `${line} ` : line;
}

/** @throws VtrError INPUT_TOO_LARGE */
export function checkPieces(text: string): void {
  const bytes = Buffer.byteLength(text);
  if (bytes <= maxBytes) return;
  const message = `the text has ${bytes} bytes, and the program takes no pastes: the limit is ${maxBytes}, and nothing was typed. Save the text in a file, and prompt with the name of the file`;
  throw new VtrError('INPUT_TOO_LARGE', message, { details: { bytes, maxBytes } });
}

/** What a composer shows in place of a long text: `[Paste #1: 6376 chars]`. */
const standIn = /\[past\w*\b[^\]]*?(\d+) char(?:acter)?s\]/giu;

/**
 * Whether a composer says that it has less than the text that was typed.
 *
 * @param before the rows of the screen before that
 */
export function arrivedInPart(
  text: string,
  before: readonly string[],
  rows: readonly string[],
): boolean {
  const old = new Set(before);
  const shown = rows.filter((row) => !old.has(row)).join('\n');
  const counts = [...shown.matchAll(standIn)].map(([, count]) => Number(count));
  if (counts.length === 0) return false;
  const rest = shown.replace(standIn, '').replace(/\s/gu, '').length;
  // Characters may be counted as code points.
  return counts.reduce((sum, count) => sum + count, rest) < [...text.trim()].length;
}

/** `[Pasted text #1]`, `[Saved pasted content to workspace (97.7 KB) id=1]` */
const namesOfPastes = /^(?:\[[^\]]*\bpaste[^\]]*\]\s*)+/iu;

const lettersOf = (text: string): string => text.replace(/[^\p{L}\p{N}]+/gu, '');
/** A draft that has this many letters of the beginning of a text is that text. */
const minLetters = 4;
/** The number of characters at the end of a draft that are compared, to see whether it has changed. */
const endLength = 24;
const endOf = (draft: string): string => draft.replace(/\s+/gu, '').slice(-endLength);

/**
 * Returns what of a text is in a composer after Enter: `changed` if Enter has done something else than submit it, and
 * `stand-in` if the program shows a name for it, which another Enter submits. Null if nothing is left, or if the draft is
 * the same as before.
 *
 * @param now what the composer shows
 * @param before what it showed before Enter; empty if that is not known
 */
export function leftIn(now: string, text: string, before: string): 'changed' | 'stand-in' | null {
  const rest = now.replace(namesOfPastes, '').trim();
  const isNamed = rest !== now.trim();
  if (isNamed && rest === '') return 'stand-in';
  if (now === '' || endOf(before) === endOf(now)) return null;
  // With more behind it, it is that of an earlier paste, which came late.
  if (isNamed) return 'changed';
  if (before === '') return null;
  const [shown, typed] = [lettersOf(now), lettersOf(text)];
  const begin = typed.slice(0, minLetters);
  return begin !== '' && shown.startsWith(begin) ? 'changed' : null;
}
