/** A line of input, as a terminal or a line editor echoes it. */
export interface SentLine {
  /** The parts between control characters, in order. */
  readonly pieces: readonly Piece[];
  /** Whether Enter ends the line. */
  readonly isEnded: boolean;
}

export interface Piece {
  readonly text: string;
  /** Whether this is a control character in the form `^C`, which not every program echoes. */
  readonly isOptional: boolean;
}

/** A part of a text: `text.slice(from, to)`. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

const esc = 0x1b;
const del = 0x7f;
const space = 0x20;

/** Returns the lines of an input. A text that does not end with Enter ends with an open line. */
export function sentLines(input: string): SentLine[] {
  const lines = input.split(/\r\n|\r|\n/);
  const last = lines.pop() ?? '';
  const ended = lines.map((line) => ({ pieces: piecesOf(line), isEnded: true }));
  const open = piecesOf(last);
  return open.length === 0 ? ended : [...ended, { pieces: open, isEnded: false }];
}

function piecesOf(line: string): Piece[] {
  const pieces: Piece[] = [];
  let begin = 0;
  const endPiece = (at: number) => {
    const text = line.slice(begin, at);
    if (text.trim() !== '') pieces.push({ text, isOptional: false });
  };
  for (let at = 0; at < line.length; ) {
    const length = controlLength(line, at);
    if (length === 0) {
      at++;
      continue;
    }
    endPiece(at);
    const code = line.charCodeAt(at);
    if (code !== esc) pieces.push({ text: caretForm(code), isOptional: true });
    at += length;
    begin = at;
  }
  endPiece(line.length);
  return pieces;
}

/** Returns the length of the control character or escape sequence at an index; 0 if there is none. */
function controlLength(line: string, at: number): number {
  const code = line.charCodeAt(at);
  if (code === esc) return escapeLength(line, at);
  return (code < space && line[at] !== '\t') || code === del ? 1 : 0;
}

/** ESC with a CSI sequence, an SS3 sequence (cursor keys), or one character (alt). */
function escapeLength(line: string, at: number): number {
  const next = line[at + 1];
  if (next === 'O') return 3;
  if (next !== '[') return 2;
  let end = at + 2;
  while (end < line.length && /[ -?]/.test(line[end] as string)) end++;
  return end + 1 - at;
}

/** The form in which terminals echo control characters (ECHOCTL, termios(3)). */
function caretForm(code: number): string {
  return `^${String.fromCharCode(code ^ 0x40)}`;
}

/** How far a text continues with a piece; blanks are ignored in both. */
export interface Followed {
  /** One past the last equal character in the text. */
  readonly end: number;
  /** The number of characters of the piece that were found. */
  readonly used: number;
  /** `full`: the whole piece; `open`: the text ended before the piece; `other`: they differ. */
  readonly how: 'full' | 'open' | 'other';
}

/** Compares a text from an index on with a piece. */
export function follow(text: string, at: number, piece: string): Followed {
  let end = at;
  for (let used = 0; ; used++, end++) {
    const next = skipBlanks(piece, used);
    if (next === piece.length) {
      const isOpenEnd = next > used;
      return { end: isOpenEnd ? skipBlanks(text, end) : end, used: next, how: 'full' };
    }
    const index = skipBlanks(text, end);
    if (index >= text.length) return { end, used, how: 'open' };
    if (text[index] !== piece[next]) return { end, used, how: 'other' };
    used = next;
    end = index;
  }
}

/** The most characters compared to find a piece in a text: output may be hostile. */
const maxCompared = 64 * 1024;

/**
 * Finds a piece in a text from `from` on. It must end after `printedFrom`. Returns its beginning at
 * the end of the text if there is no whole one.
 */
export function findPiece(
  text: string,
  from: number,
  printedFrom: number,
  piece: string,
): (Span & { readonly used: number; readonly how: 'full' | 'open' }) | null {
  const first = piece[skipBlanks(piece, 0)];
  if (first === undefined) return null;
  let compared = 0;
  for (let at = text.indexOf(first, from); at >= 0; at = text.indexOf(first, at + 1)) {
    const { end, used, how } = follow(text, at, piece);
    compared += used;
    if (compared > maxCompared) return null;
    if (how !== 'other' && end > printedFrom) return { from: at, to: end, used, how };
  }
  return null;
}

function skipBlanks(text: string, from: number): number {
  let at = from;
  while (at < text.length && isBlank(text.charCodeAt(at))) at++;
  return at;
}

const isBlank = (code: number): boolean => code === space || code === 0x09 || code === 0xa0;

/** Returns a text without blanks and line breaks. */
export const essence = (text: string): string => text.replace(/\s+/g, '');

/** Returns the parts of a span that are in none of the others. */
export function without(span: Span, others: readonly Span[]): Span[] {
  let left = [span];
  for (const { from, to } of others) {
    left = left.flatMap((each) => {
      if (to <= each.from || from >= each.to) return [each];
      const parts = [
        { from: each.from, to: from },
        { from: to, to: each.to },
      ];
      return parts.filter((part) => part.from < part.to);
    });
  }
  return left;
}
