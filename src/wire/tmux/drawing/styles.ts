import { type Color, plainStyle, type Style } from '#model';

/** Where the text after a style goes; `default` is the left, or where the list is. */
export type Align = 'default' | 'left' | 'centre' | 'right' | 'absolute-centre';

/** What the mouse finds in a part of a line. */
export interface RangeOf {
  readonly kind: 'left' | 'right' | 'window';
  /** Of a window: its index. */
  readonly argument: string;
}

/** What `#[...]` sets: a style, and where the text after it goes. */
export interface Drawn {
  readonly style: Style;
  readonly align: Align;
  readonly list: 'off' | 'on' | 'focus' | 'left-marker' | 'right-marker';
  readonly range: RangeOf | null;
  /** The colour of the whole line; undefined if none is set. */
  readonly fill: Color | undefined;
  /** Whether the style becomes the default, or the default becomes what it was. */
  readonly defaults: 'base' | 'push' | 'pop';
  /** Whether what follows is no style. */
  readonly isIgnored: boolean;
}

export const drawnAs = (style: Style): Drawn => ({
  style,
  align: 'default',
  list: 'off',
  range: null,
  fill: undefined,
  defaults: 'base',
  isIgnored: false,
});

const names = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'];

/** Returns a colour by its name in tmux; undefined if there is none. */
export function colourOf(text: string): Color | undefined {
  const word = text.toLowerCase();
  if (word === 'default' || word === 'terminal') return null;
  if (/^#[0-9a-f]{6}$/.test(word)) return word as `#${string}`;
  const [, number] = /^colou?r(\d{1,3})$/.exec(word) ?? [];
  if (number !== undefined) return Number(number) < 256 ? Number(number) : undefined;
  const [, bright, name = word] = /^(bright)?(.*)$/.exec(word) ?? [];
  const at = names.indexOf(name);
  if (at !== -1) return at + (bright === undefined ? 0 : 8);
  if (/^[0-7]$/.test(word)) return Number(word);
  return /^9[0-7]$/.test(word) ? Number(word) - 82 : undefined;
}

const attributes: Readonly<Record<string, Partial<Style>>> = {
  acs: {},
  bright: { bold: true },
  bold: { bold: true },
  dim: { dim: true },
  underscore: { underline: 'single' },
  'double-underscore': { underline: 'double' },
  'curly-underscore': { underline: 'curly' },
  'dotted-underscore': { underline: 'dotted' },
  'dashed-underscore': { underline: 'dashed' },
  blink: { blink: true },
  reverse: { inverse: true },
  hidden: { hidden: true },
  italics: { italic: true },
  strikethrough: { strikethrough: true },
  overline: { overline: true },
};

/** Words that set something other than a colour or an attribute. */
const settings: Readonly<Record<string, Partial<Drawn>>> = {
  ignore: { isIgnored: true },
  noignore: { isIgnored: false },
  'push-default': { defaults: 'push' },
  'pop-default': { defaults: 'pop' },
  nolist: { list: 'off' },
  'list=on': { list: 'on' },
  'list=focus': { list: 'focus' },
  'list=left-marker': { list: 'left-marker' },
  'list=right-marker': { list: 'right-marker' },
  norange: { range: null },
  'range=left': { range: { kind: 'left', argument: '' } },
  'range=right': { range: { kind: 'right', argument: '' } },
  noalign: { align: 'default' },
  'align=left': { align: 'left' },
  'align=centre': { align: 'centre' },
  'align=right': { align: 'right' },
  'align=absolute-centre': { align: 'absolute-centre' },
};

/** The attributes of a style, without its colours. */
const noAttributes: Partial<Style> = { ...plainStyle };

/**
 * Returns what the words of a style make of the state before them; null if one of them is unknown.
 *
 * @param base the style of `default`
 */
export function changedBy(words: string, before: Drawn, base: Style): Drawn | null {
  let drawn: Drawn = { ...before, defaults: 'base' };
  for (const word of words.split(/[\s,]+/)) {
    if (word === '') continue;
    const next = changedByWord(word, drawn, base);
    if (next === null) return null;
    drawn = next;
  }
  return drawn;
}

function changedByWord(text: string, drawn: Drawn, base: Style): Drawn | null {
  const word = text.toLowerCase();
  const { style } = drawn;
  const styled = (change: Partial<Style>): Drawn => ({ ...drawn, style: { ...style, ...change } });
  if (Object.hasOwn(settings, word)) return { ...drawn, ...settings[word] };
  const [, argument] = /^range=window\|(\d+)$/.exec(word) ?? [];
  if (argument !== undefined) return { ...drawn, range: { kind: 'window', argument } };
  if (word === 'default') return { ...drawn, style: base };
  if (word === 'none') {
    const { fg, bg, underlineColor } = style;
    return styled({ ...noAttributes, fg, bg, underlineColor });
  }
  const [, of, name = ''] = /^(fg|bg|us|fill)=(.*)$/.exec(word) ?? [];
  if (of !== undefined) {
    const colour = colourOf(name);
    if (colour === undefined) return null;
    if (of === 'fill') return { ...drawn, fill: colour };
    if (of === 'us') return styled({ underlineColor: colour });
    const isDefault = name === 'default';
    return styled(
      of === 'fg' ? { fg: isDefault ? base.fg : colour } : { bg: isDefault ? base.bg : colour },
    );
  }
  return attributed(word, drawn);
}

/** Attributes are joined by `|`; `no` before one takes it away. */
function attributed(word: string, drawn: Drawn): Drawn | null {
  let { style } = drawn;
  for (const part of word.split('|')) {
    const isOff = !Object.hasOwn(attributes, part) && part.startsWith('no');
    const name = isOff ? part.slice(2) : part;
    if (!Object.hasOwn(attributes, name)) return null;
    const change = attributes[name] ?? {};
    const off = Object.keys(change).map((key) => [key, plainStyle[key as keyof Style]]);
    style = { ...style, ...(isOff ? Object.fromEntries(off) : change) };
  }
  return { ...drawn, style };
}

/** Returns the style of an option's value; what is not known is left out. */
export function styleOf(value: string, base: Style = plainStyle): Style {
  let drawn = drawnAs(base);
  for (const word of value.split(/[\s,]+/)) {
    if (word !== '') drawn = changedByWord(word, drawn, base) ?? drawn;
  }
  return drawn.style;
}
