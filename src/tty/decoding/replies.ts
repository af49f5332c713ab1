import { decodeUtf8 } from '#base';
import { type ControlSequence, parameterOf, parametersOf } from './token.ts';
import type { TtyEvent, TtyReply } from './tty-event.ts';

/** Returns the answer that a CSI sequence is; undefined if it is none that is known. */
export function replyOfCsi(sequence: ControlSequence): TtyReply | undefined {
  const { prefix, intermediates, final } = sequence;
  const values = parametersOf(sequence);
  const [first = 0, second = 0, third = 0] = values;
  switch (`${prefix}${intermediates}${final}`) {
    case '?c':
      return { of: 'attributes', values };
    case '>c':
      return { of: 'secondaryAttributes', values };
    case '?$y':
      return { of: 'mode', mode: first, value: second };
    case '?u':
      return { of: 'kittyFlags', flags: first };
    case '?n':
      return first === 997 ? { of: 'scheme', dark: second === 1 } : undefined;
    case 'n':
      return { of: 'status', value: first };
    case 't':
      return sizeReply(first, second, third);
    default:
      return undefined;
  }
}

function sizeReply(kind: number, height: number, width: number): TtyReply | undefined {
  switch (kind) {
    case 4:
      return { of: 'areaPixels', width, height };
    case 6:
      return { of: 'cellPixels', width, height };
    case 8:
      return { of: 'areaSize', size: { rows: height, cols: width } };
    default:
      return undefined;
  }
}

/**
 * Whether a CSI sequence that is not a key can only be an answer: it has a private prefix or an
 * intermediate, or it reports a status, a position, a size or parameters.
 */
export function isReply(sequence: ControlSequence): boolean {
  const { prefix, parameters, intermediates, final } = sequence;
  if (prefix !== '' && prefix !== '[') return true;
  if (intermediates !== '' || 'cntxMR'.includes(final)) return parameters.length > 0;
  // The end of a paste without its beginning.
  return final === '~' && parameterOf(sequence, 0) === 201;
}

/** Returns the answers of an OSC, DCS or APC string; none if it is not known. */
export function repliesOfString(introducer: string, content: string): TtyReply[] {
  if (introducer === ']') return colorReplies(content);
  return introducer === 'P' ? deviceReplies(content) : [];
}

/** `OSC 10 ; color` up to 19, and `OSC 4 ; index ; color`, of which one may answer several queries. */
function colorReplies(content: string): TtyReply[] {
  const [number, ...fields] = content.split(';');
  if (number === '4' || number === '5') {
    return pairs(fields).flatMap(([index = '', color = '']) => {
      const rgb = parseColor(color);
      return rgb === undefined || number === '5'
        ? []
        : [{ of: 'paletteColor', index: Number(index), rgb }];
    });
  }
  const rgb = parseColor(fields[0] ?? '');
  const isColor = /^1\d$/.test(number ?? '') && fields.length === 1 && rgb !== undefined;
  return isColor ? [{ of: 'color', number: Number(number), rgb }] : [];
}

const pairs = (fields: readonly string[]): string[][] =>
  Array.from({ length: Math.ceil(fields.length / 2) }, (_, i) => fields.slice(2 * i, 2 * i + 2));

/**
 * Returns a colour as 0xRRGGBB, of `rgb:R/G/B` with 1 to 4 hexadecimal digits each, `rgba:`, or `#`
 * with the same number of digits for each (XParseColor).
 */
function parseColor(text: string): number | undefined {
  const [, list] = /^rgba?:([\da-f]{1,4}(?:\/[\da-f]{1,4}){2,3})$/i.exec(text) ?? [];
  const [, digits = ''] = /^#((?:[\da-f]{3}){1,4})$/i.exec(text) ?? [];
  const third = digits.length / 3;
  const parts = list?.split('/') ?? [0, 1, 2].map((i) => digits.slice(i * third, (i + 1) * third));
  if (parts[0] === '') return undefined;
  const [red = 0, green = 0, blue = 0] = parts.map(byteOf);
  return (red << 16) | (green << 8) | blue;
}

const byteOf = (hex: string): number =>
  Math.round((Number.parseInt(hex, 16) * 255) / (16 ** hex.length - 1));

/** XTVERSION `> | text`, DA3 `! | id`, XTGETTCAP `1 + r name = value ; ...`. */
function deviceReplies(content: string): TtyReply[] {
  const [, version] = /^>\|(.*)$/s.exec(content) ?? [];
  if (version !== undefined) return [{ of: 'version', text: version }];
  const [, unit] = /^!\|([\da-f]*)$/i.exec(content) ?? [];
  if (unit !== undefined) return [{ of: 'unit', id: unit }];
  const [, text, list = ''] = /^([01])\+r(.*)$/s.exec(content) ?? [];
  if (text === undefined) return [];
  return list.split(';').map((entry) => capabilityOf(entry, text === '1'));
}

function capabilityOf(entry: string, isKnown: boolean): TtyReply {
  const [name = '', value = ''] = entry.split('=');
  return { of: 'capability', name: textOfHex(name), value: isKnown ? textOfHex(value) : null };
}

const textOfHex = (hex: string): string =>
  decodeUtf8(Uint8Array.from(hex.match(/[\da-f]{2}/gi) ?? [], (pair) => Number.parseInt(pair, 16)));

/**
 * Queries for what a terminal can do, in one write: XTVERSION, the modes 2026, 2027, 2031, 2048 and
 * 1016, the kitty keyboard flags, the colours, and the size of a cell. DA1 is the last: every
 * terminal answers it, and in order, so that what was not answered before it is not supported.
 */
export const probe = (): string => queries.join('');

const csi = '\x1b[';

/** DSR: asks whether the terminal works, which every terminal answers. */
export const statusQuery = `${csi}5n`;

const osc = '\x1b]';
const st = '\x1b\\';

const queries: readonly string[] = [
  `${csi}>q`,
  ...[2026, 2027, 2031, 2048, 1016].map((mode) => `${csi}?${mode}$p`),
  `${csi}?u`,
  `${osc}10;?${st}`,
  `${osc}11;?${st}`,
  `${csi}16t`,
  `${csi}c`,
];

/** Collects the answers to the probe, until the last one. */
export class ProbeAnswers {
  readonly #replies: TtyReply[] = [];
  #complete = false;

  /** Adds the answers among events. Those after the last one are ignored. */
  add(events: readonly TtyEvent[]): void {
    for (const event of events) {
      if (event.type !== 'reply' || this.#complete) continue;
      this.#replies.push(event.reply);
      this.#complete = event.reply.of === 'attributes';
    }
  }

  /** Whether the last answer has come. */
  get isComplete(): boolean {
    return this.#complete;
  }

  /** The answers so far, in the order in which they came. */
  get replies(): readonly TtyReply[] {
    return this.#replies;
  }
}
