import type { Span } from './secrets.ts';

/** A part of the body of a private key. */
export interface KeySpan extends Span {
  /** The number of the key, from 0. */
  readonly secret: number;
}

/** What `cat -n`, an editor, a diff or a quotation puts in front of a line. */
const margin = '^[\\s\\d>|│+-]{0,16}?';
const base64 = '[A-Za-z0-9+/=]';
const body = new RegExp(`${margin}(${base64}{16,})\\s*$`);
/** The last line of a body, or of one of its lines in an editor, may be short. */
const shortBody = new RegExp(`${margin}(${base64}+)\\s*$`);
/** Blank lines, and the headers of encrypted keys (RFC 1421, 4.6), which are not secret. */
const header = new RegExp(`${margin}(?:(?:Proc-Type|DEK-Info|Comment|Version): .*)?$`);

/** The widths of the lines of a key without borders: of OpenSSH; of RFC 7468, which others have, too. */
const openSshWidth = 70;
const usualWidth = 64;
/** The beginning of something else in base64. */
const otherBegin = /-----BEGIN (?![A-Z0-9 ]*PRIVATE KEY)/;

/** More lines than a key has, also in the rows of a narrow screen. */
export const maxKeyLines = 512;
/** In each line with a border. */
export const keyWords = 'PRIVATE KEY';

/** Returns whether a line looks like one of the body of a key. */
export const looksLikeKey = (line: string): boolean => body.test(line);

/**
 * Finds the bodies of private keys (RFC 7468) in whole lines. One border is enough: the lines next to it
 * that look like a body are one. So are neighbouring lines of the width that OpenSSH writes.
 *
 * @param text lines joined by line feeds
 * @param hasShownKey whether borders of a key were shown before: then lines of the usual width are one, too
 */
export function keyLines(text: string, hasShownKey: () => boolean): readonly KeySpan[] {
  const isUsual = hasLinesOf(usualWidth, text) && hasShownKey();
  if (!isUsual && !text.includes(keyWords) && !hasLinesOf(openSshWidth, text)) return [];
  const widths = isUsual ? [openSshWidth, usualWidth] : [openSshWidth];
  return new KeyLines(text.split('\n'), widths).find();
}

const isBase64 = Uint8Array.from({ length: 128 }, (_, code) =>
  new RegExp(base64).test(String.fromCharCode(code)) ? 1 : 0,
);

/** Returns whether two neighbouring lines may end with a word of base64 of a width. */
function hasLinesOf(width: number, text: string): boolean {
  let before = false;
  for (let at = 0; at < text.length; ) {
    const next = text.indexOf('\n', at);
    const end = next < 0 ? text.length : next;
    let last = end;
    while (last > at && text.charCodeAt(last - 1) <= 0x20) last--;
    let from = last;
    while (from > at && isBase64[text.charCodeAt(from - 1)] === 1) from--;
    const isOf = last - from === width;
    if (isOf && before) return true;
    before = isOf;
    at = end + 1;
  }
  return false;
}

class KeyLines {
  readonly #lines: readonly string[];
  /** The place of each line in the text. */
  readonly #places: readonly number[];
  readonly #spans = new Map<number, KeySpan>();
  readonly #widths: readonly number[];
  #keys = 0;

  constructor(lines: readonly string[], widths: readonly number[]) {
    this.#lines = lines;
    this.#widths = widths;
    let at = 0;
    this.#places = lines.map((line) => {
      at += line.length + 1;
      return at - line.length - 1;
    });
  }

  find(): readonly KeySpan[] {
    for (let line = 0; line < this.#lines.length; line++) {
      const borders = [...this.#lineAt(line).matchAll(border)];
      for (const [index, { 0: match, 1: kind, index: at }] of borders.entries()) {
        const next = borders[index + 1]?.index ?? this.#lineAt(line).length;
        if (kind === 'BEGIN')
          this.#below(line, at + match.length, next, index + 1 < borders.length);
        else if (index === 0 && !this.#spans.has(line - 1)) this.#above(line, at);
        else if (index === 0) this.#addBefore(line, at, this.#keys - 1);
      }
    }
    for (const width of this.#widths) this.#withoutBorders(width);
    return [...this.#spans.values()].sort((a, b) => a.from - b.from);
  }

  /** Adds the body below a border that ends at `from`, or up to the next border in the same line. */
  #below(line: number, from: number, to: number, isWhole: boolean): void {
    const key = this.#keys++;
    const rest = this.#lineAt(line).slice(from, to);
    if (rest.trim() !== '') this.#add(line, from, from + rest.trimEnd().length, key);
    if (isWhole) return;
    for (let at = line + 1; at < this.#lines.length; at++) {
      if (this.#isBody(at, at + 1)) this.#addBody(at, key);
      else if (!header.test(this.#lineAt(at))) return;
    }
  }

  /** Adds the body above a border that begins at `end`, of a key whose beginning is not there. */
  #above(line: number, end: number): void {
    const key = this.#keys++;
    this.#addBefore(line, end, key);
    for (let at = line - 1; at >= 0 && !this.#spans.has(at); at--) {
      if (this.#isBody(at, at + 1)) this.#addBody(at, key);
      else return;
    }
  }

  /** Adds what is in front of a border in its line. */
  #addBefore(line: number, end: number, key: number): void {
    const [word] = new RegExp(`${base64}{4,}\\s*$`).exec(this.#lineAt(line).slice(0, end)) ?? [];
    if (word !== undefined) this.#add(line, end - word.length, end, key);
  }

  /** Adds lines of one width, of a key whose borders are not there. */
  #withoutBorders(width: number): void {
    for (let line = 0; line < this.#lines.length; line++) {
      if (!this.#isOf(width, line) || !this.#isOf(width, line + 1)) continue;
      if (otherBegin.test(this.#lineAt(line - 1))) {
        while (this.#isOf(width, line)) line++;
        continue;
      }
      const key = this.#keys++;
      const above = this.#lineAt(line - 1);
      if (body.test(above) && !this.#spans.has(line - 1)) this.#addBody(line - 1, key);
      for (; this.#isOf(width, line); line++) this.#addBody(line, key);
      if (this.#isBody(line, line + 1)) this.#addBody(line, key);
    }
  }

  #isOf(width: number, line: number): boolean {
    return body.exec(this.#lineAt(line))?.[1]?.length === width && !this.#spans.has(line);
  }

  /** @param next the line after it: a short line is only part of a body if it goes on or ends there */
  #isBody(line: number, next: number): boolean {
    const text = this.#lineAt(line);
    if (body.test(text)) return true;
    const after = this.#lineAt(next);
    return shortBody.test(text) && (body.test(after) || after.includes(keyWords));
  }

  #addBody(line: number, key: number): void {
    const text = this.#lineAt(line);
    const [, word = ''] = shortBody.exec(text) ?? [];
    const from = text.trimEnd().length - word.length;
    this.#add(line, from, from + word.length, key);
  }

  #add(line: number, from: number, to: number, key: number): void {
    const place = this.#places[line] ?? 0;
    this.#spans.set(line, { from: place + from, to: place + to, secret: key });
  }

  #lineAt(line: number): string {
    return this.#lines[line] ?? '';
  }
}

const border = /-----(BEGIN|END) [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----/g;
const unfinishedBorder = /-{1,5}[A-Z0-9 ]{0,60}-{0,4}$/;
const atEnd = new RegExp(`${border.source}$`);

/** The longest key, in characters. */
const maxKey = 16 * 1024;

/** Finds private keys (RFC 7468) in a stream of text. */
export class PrivateKeys {
  /** The characters of the present key so far; null outside of one. */
  #length: number | null = null;
  /** The characters of the next part that belong to a border. */
  #position = 0;

  /** Whether the present part ends outside of a key and of its borders. */
  get isOutside(): boolean {
    return this.#length === null && this.#position === 0;
  }

  /** Returns where a border begins that may continue after the end of the text; -1 if there is none. */
  open(text: string): number {
    if (!text.includes('-', text.length - 70)) return -1;
    return atEnd.test(text) ? -1 : text.search(unfinishedBorder);
  }

  /**
   * Returns the keys in a part of the text, from `from` up to but not including `to`. Must be called
   * once for each part.
   */
  find(text: string, from: number, to: number): Span[] {
    const spans: Span[] = [];
    let at = from + this.#position;
    this.#position = 0;
    if (this.#length === null && !text.includes('-----', from)) return spans;
    const add = (end: number) => {
      if (this.#length === null || end <= at) return;
      spans.push({ from: at, to: end });
      this.#length += end - at;
      if (this.#length > maxKey) this.#length = null;
    };
    border.lastIndex = at;
    for (let match = border.exec(text); match !== null; match = border.exec(text)) {
      if (match.index >= to) break;
      add(match.index);
      at = match.index + match[0].length;
      this.#length = match[1] === 'BEGIN' ? 0 : null;
    }
    add(to);
    this.#position = Math.max(0, at - to);
    return spans;
  }
}
