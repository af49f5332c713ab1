import type { Span } from './secrets.ts';

// CSI, OSC and other strings as in ECMA-48, 5.4 and 5.6, with introducers of one and of two bytes.
// Strings end with ST, and OSC also with BEL. C1 controls are not part of one here, so that openers in a row
// take linear time.
const csi = '(?:\\x1b\\[|\\x9b)';
const opener = '(?:\\x1b[\\]PX^_]|[\\x90\\x98\\x9d-\\x9f])';
const content = '[^\\x07\\x1b\\x80-\\x9f]*';
const string = `${opener}${content}(?:\\x07|\\x1b\\\\|\\x9c)`;

/**
 * Sequences that leave the cursor where it is: colours, modes, EL 0, strings, character sets; and those of vtr in
 * dumps, with which a line goes on in the next row.
 */
const still = `${csi}(?:[\\d;:]*m|0?K|\\?[\\d;]*[hl]|=[\\d;]*w)|${string}|\\x1b[=>]|\\x1b[()*+][ -~]`;
const others = `${csi}[0-?]*[ -/]*[@-~]|\\x1b[ -/]*[0-~]|[\\0-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f]`;
const sequences = new RegExp(`(${still})|${others}`, 'g');
const unfinished = new RegExp(`(?:${csi}[0-?]*[ -/]*|${opener}${content}\\x1b?|\\x1b[ -/]*)$`);

/** A sequence that is longer is not waited for, in characters. */
const maxSequence = 64 * 1024;

/** A stretch of text without control sequences. */
export interface Stretch {
  /** Where it begins in the text with the sequences. */
  readonly rawFrom: number;
  /** Where it begins in the text without them. */
  readonly plainFrom: number;
  readonly length: number;
}

export interface PlainText {
  /** Without control sequences; those that may move the cursor are line feeds. */
  readonly text: string;
  readonly stretches: readonly Stretch[];
  readonly strings: readonly ControlString[];
}

/** A control string, such as a title. */
export interface ControlString {
  /** Where it begins in the text with the sequences. */
  readonly at: number;
  readonly text: string;
}

/** Returns the length of the control sequence that the end of the text cuts off; 0 if it cuts none. */
export function unfinishedLength(text: string): number {
  const tail = text.slice(-maxSequence);
  if (!/[\x1b\x90\x98\x9b\x9d-\x9f]/.test(tail)) return 0;
  const length = unfinished.exec(tail)?.[0].length ?? 0;
  return length === maxSequence ? 0 : length;
}

/** @param before text without control sequences that is put in front */
export function plainText(raw: string, before: string): PlainText {
  const stretches: Stretch[] = [];
  const strings: { at: number; text: string }[] = [];
  let text = before;
  let end = 0;
  const add = (to: number) => {
    if (to === end) return;
    stretches.push({ rawFrom: end, plainFrom: text.length, length: to - end });
    text += raw.slice(end, to);
  };
  for (const { index, 0: sequence, 1: isStill } of raw.matchAll(sequences)) {
    add(index);
    end = index + sequence.length;
    if (isStill === undefined) text += '\n';
    else if (isString.test(sequence)) strings.push({ at: index, text: sequence });
  }
  add(raw.length);
  return { text, stretches, strings };
}

const isString = new RegExp(`^${opener}`);

/** Returns the place of a character of the text without sequences in the text with them. */
export function rawPlace(plain: number, stretches: readonly Stretch[]): number {
  const stretch = stretches.findLast(({ plainFrom }) => plainFrom <= plain);
  return stretch === undefined ? 0 : stretch.rawFrom + plain - stretch.plainFrom;
}

/** Returns the places of spans in the text with the sequences. Both in order; the result is, too. */
export function rawSpans(spans: readonly Span[], stretches: readonly Stretch[]): Span[] {
  let first = 0;
  return spans.flatMap(({ from, to }) => {
    const found: Span[] = [];
    while (first < stretches.length && endOf(stretches[first] as Stretch) <= from) first++;
    for (let at = first; at < stretches.length; at++) {
      const stretch = stretches[at] as Stretch;
      const begin = Math.max(from, stretch.plainFrom);
      const end = Math.min(to, endOf(stretch));
      if (begin >= end) break;
      const shift = stretch.rawFrom - stretch.plainFrom;
      found.push({ from: begin + shift, to: end + shift });
    }
    return found;
  });
}

const endOf = ({ plainFrom, length }: Stretch): number => plainFrom + length;
