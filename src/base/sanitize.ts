/** Text for people and models. */
export interface PlainText {
  readonly text: string;
  /** The number of code points that were removed. */
  readonly removed: number;
}

const pictograph = String.raw`\p{Extended_Pictographic}(?:\p{Emoji_Modifier}|[\uFE0E\uFE0F])?`;

/**
 * Emoji that are kept although they include invisible characters: pictographs combined by joiners,
 * each with at most one variation selector, and keycaps (UTS 51). Flags made of tag characters are
 * not included: tags can spell any invisible text.
 */
const emoji = String.raw`${pictograph}(?:\u200D${pictograph})*|[0-9#*]\uFE0F?\u20E3`;

/** Controls except line feed and tab: C0, DEL and C1. */
const controls = String.raw`\0-\x08\x0B-\x1F\x7F-\x9F`;
/** Lone surrogates, line and paragraph separators, and annotation marks. */
const noText = String.raw`\uD800-\uDFFF\u2028\u2029\uFFF9-\uFFFB`;
/**
 * The hostile characters: controls, code points that are not text, and default ignorable code points: directional
 * marks, tags, variation selectors, joiners, fillers.
 */
const hostile = `[${controls}${noText}\\p{Default_Ignorable_Code_Point}]`;

/** Those of the hostile characters that no terminal shows in a cell, and line feed and tab. */
export const notInCell = new RegExp(`[\\t\\n${controls}${noText}]`, 'u');

/** Those of the hostile characters that change the direction of the text around them (UAX 9). */
export const directions = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/g;

/** Made when it is first needed: V8 takes half a millisecond for its tables. */
let pattern: RegExp | undefined;

/** Text without any hostile character: ASCII, Latin letters, and what draws boxes. */
const isPlain = /^[\t\n\x20-\x7E\xA0-\xAC\xAE-\u02FF\u2500-\u259F]*$/;

function replaced(text: string, replacement: (character: string) => string): string {
  if (isPlain.test(text)) return text;
  pattern ??= new RegExp(`(${emoji})|${hostile}`, 'gu');
  return text.replace(pattern, (all, whole: string | undefined) => whole ?? replacement(all));
}

/**
 * Removes control and invisible characters and counts them, so that a person and a model read the
 * same text. All terminal text for people and models passes through this function; programs get it
 * unchanged, or {@link escapedJson}.
 */
export function sanitize(text: string): PlainText {
  let removed = 0;
  const plain = replaced(text, () => {
    removed += 1;
    return '';
  });
  return { text: plain, removed };
}

const anyControl = new RegExp(`[${controls}]`, 'g');
/** A style, or the beginning or end of a link (OSC 8), as `vtr attach` lets them out. */
const styleOrControl = new RegExp(
  String.raw`\x1b\[[\d:;]*m|\x1b\]8;[^\0-\x1f\x7f-\x9f;]*;([^\0-\x1f\x7f-\x9f]*)\x1b\\|[${controls}]`,
  'g',
);

/** Returns text without control characters, except line feeds and tabs: nothing in it acts on a terminal. */
export const withoutControls = (text: string): string => text.replace(anyControl, '');

/** As {@link withoutControls}, but colours and links that a person may follow stay. */
export const styledText = (text: string): string =>
  text.replace(styleOrControl, (sequence, uri: string | undefined) => {
    if (uri === undefined) return sequence.length > 1 ? sequence : '';
    return uri === '' || safeLink(uri, 'terminal') !== null ? sequence : '';
  });

/** Returns JSON with escapes in place of the characters that {@link sanitize} removes: the same value. */
export const escapedJson = (json: string): string =>
  replaced(json, (character) =>
    character
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  );

/** The most characters of a text in a message, and those of a longer one that are shown, in UTF-16 code units. */
const quotedLength = { most: 200, head: 130, tail: 60 };

/** Returns text with `…` in place of its middle if it is long; its end often tells more than its middle. */
function withoutMiddle(text: string): string {
  const { most, head, tail } = quotedLength;
  if (text.length <= most) return text;
  return `${cutText(text, head)}…${text.slice(-tail).replace(/^[\udc00-\udfff]/, '')}`;
}

/**
 * Returns what somebody gave as JSON for a message, a text in quotes: controls and invisible characters are escaped, and of
 * a long text only the beginning and the end are there.
 */
export const quoted = (value: unknown): string =>
  escapedJson(
    typeof value === 'string'
      ? JSON.stringify(withoutMiddle(value))
      : withoutMiddle(JSON.stringify(value) ?? 'undefined'),
  );

/** As {@link quoted}, but a word gets no quotes if it has no blanks, controls or invisible characters, such as a path. */
export function wordOrQuoted(text: string): string {
  const word = withoutMiddle(text);
  return /^\S+$/.test(word) && sanitize(word).removed === 0 ? word : quoted(text);
}

/**
 * Returns text in one line, such as a title, without the characters that {@link sanitize} removes.
 *
 * @param maxLength in UTF-16 code units; no character is cut in half
 */
export function cleanLine(text: string, maxLength: number): string {
  const clean = sanitize(text).text.replace(/[\t\n]/g, '');
  return cutText(clean, maxLength);
}

/** Truncates text to a length in UTF-16 code units, but not inside a surrogate pair. */
export function cutText(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  return text.slice(0, maxLength).replace(/[\ud800-\udbff]$/, '');
}

/** Printable ASCII without blanks, as URIs are encoded (RFC 3986, 2). */
const inBrowser = /^(?:https?:\/\/|mailto:)[!-~]+$/i;
/** No terminal runs anything for these unasked; a browser does not open them from a page. */
const inTerminal = /^(?:(?:https?|ftp|file):\/\/|mailto:)[!-~]+$/i;
/** VTE refuses longer ones. */
const maxLink = 2083;

/**
 * Returns a link from output if a person may follow it, else null.
 *
 * @param where a person follows it; files and FTP only from a terminal
 */
export function safeLink(uri: string | null, where: 'terminal' | 'browser'): string | null {
  if (uri === null || uri.length > maxLink) return null;
  return (where === 'terminal' ? inTerminal : inBrowser).test(uri) ? uri : null;
}
