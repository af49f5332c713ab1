import { keyLines } from './key-lines.ts';
import type { SecretRule, Span } from './secrets.ts';

/** A secret, or the part of one in a line: the parts of a secret have the same number. */
export interface SecretSpan extends Span {
  readonly secret: number;
}

/**
 * Finds the secrets in whole lines without control sequences.
 *
 * @param text lines joined by line feeds
 * @param hasShownKey see {@link keyLines}
 * @returns spans in order, which do not overlap
 */
export function findSecrets(
  text: string,
  rules: readonly SecretRule[],
  hasShownKey: () => boolean = () => false,
): readonly SecretSpan[] {
  const spans = rules.flatMap((rule) =>
    // A pattern of the user may match a line feed, or refer to the ends of a line.
    rule.words === undefined ? findByLine(text, rule) : [...rule.find(text)],
  );
  const keys = keyLines(text, hasShownKey);
  return spans.length + keys.length === 0 ? [] : merged(spans, keys);
}

function findByLine(text: string, rule: SecretRule): Span[] {
  let at = 0;
  return text.split('\n').flatMap((line) => {
    const place = at;
    at += line.length + 1;
    return Array.from(rule.find(line), ({ from, to }) => ({ from: place + from, to: place + to }));
  });
}

function merged(allSpans: readonly Span[], keys: readonly SecretSpan[]): readonly SecretSpan[] {
  let next = 1 + keys.reduce((last, { secret }) => Math.max(last, secret), -1);
  const all = [...keys, ...allSpans.map((span) => ({ ...span, secret: -1 }))];
  all.sort((a, b) => a.from - b.from || b.to - a.to);
  const spans: SecretSpan[] = [];
  for (const each of all) {
    const last = spans.at(-1);
    if (each.from === each.to) continue;
    if (last !== undefined && each.from < last.to) {
      spans[spans.length - 1] = { ...last, to: Math.max(last.to, each.to) };
    } else {
      spans.push(each.secret < 0 ? { ...each, secret: next++ } : each);
    }
  }
  return spans;
}

/** Finds the secrets in a whole text with control sequences. Returns spans in order; they may overlap. */
export function findInOutput(output: string, rules: readonly SecretRule[]): readonly SecretSpan[] {
  const { text, stretches, strings } = plainText(output, '');
  const inText = findSecrets(text, rules).flatMap(({ secret, ...span }) =>
    rawSpans([span], stretches).map((each) => ({ ...each, secret })),
  );
  let next = inText.reduce((last, { secret }) => Math.max(last, secret), -1);
  const inStrings = strings.flatMap((each) =>
    findInString(each, rules).map((span) => {
      next++;
      return { ...span, secret: next };
    }),
  );
  return [...inText, ...inStrings].sort((a, b) => a.from - b.from);
}

/** The beginning of OSC 52: what follows was copied to the clipboard. */
const clipboard = /^(?:\x1b\]|\x9d)52;[^;]*;/;

/** Finds the secrets in a control string. Their places are those of the text with the sequences. */
export function findInString({ text, at }: ControlString, rules: readonly SecretRule[]): Span[] {
  const copied = clipboard.exec(text)?.[0].length;
  const spans =
    copied === undefined
      ? [...rules.flatMap((rule) => [...rule.find(text)]), ...findEncoded(text, rules)]
      : [{ from: copied, to: text.length - (text.endsWith('\x1b\\') ? 2 : 1) }];
  return merged(spans, []).map(({ from, to }) => ({ from: at + from, to: at + to }));
}

/** One character as in URLs, in UTF-8 (RFC 3986, 2.1). */
const encodedCharacter =
  /%[0-7][\da-f]|%[cd][\da-f]%[89ab][\da-f]|%e[\da-f](?:%[89ab][\da-f]){2}|%f[0-7](?:%[89ab][\da-f]){3}/gi;

/**
 * Finds the secrets in which some characters are encoded as in URLs: so shells report command lines and
 * directories. Their places are those of the encoded text.
 */
function findEncoded(text: string, rules: readonly SecretRule[]): Span[] {
  const places: number[] = [];
  let plain = '';
  let end = 0;
  const add = (to: number) => {
    for (let at = end; at < to; at++) places.push(at);
    plain += text.slice(end, to);
    end = to;
  };
  for (const { index, 0: encoded } of text.matchAll(encodedCharacter)) {
    const character = decodedCharacter(encoded);
    if (character === null) continue;
    add(index);
    for (let unit = 0; unit < character.length; unit++) places.push(index);
    plain += character;
    end = index + encoded.length;
  }
  if (plain === '') return [];
  add(text.length);
  places.push(text.length);
  return findSecrets(plain, rules).map(({ from, to }) => {
    return { from: places[from] as number, to: places[to] as number };
  });
}

function decodedCharacter(encoded: string): string | null {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return null;
  }
}

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
    const spans: Span[] = [];
    while (first < stretches.length && endOf(stretches[first] as Stretch) <= from) first++;
    for (let at = first; at < stretches.length; at++) {
      const stretch = stretches[at] as Stretch;
      const begin = Math.max(from, stretch.plainFrom);
      const end = Math.min(to, endOf(stretch));
      if (begin >= end) break;
      const shift = stretch.rawFrom - stretch.plainFrom;
      spans.push({ from: begin + shift, to: end + shift });
    }
    return spans;
  });
}

const endOf = ({ plainFrom, length }: Stretch): number => plainFrom + length;
