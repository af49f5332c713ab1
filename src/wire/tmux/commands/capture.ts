import type { Cell, Color, Style, UnderlineStyle } from '#model';
import { paneRows, type Row } from '../capture/pane-rows.ts';
import type { Target } from '../target/target.ts';
import { TmuxError } from '../tmux-error.ts';
import { type Arguments, wholeNumber } from '../words/arguments.ts';
import type { Call, Commands } from './call.ts';

const underlined =
  (style: UnderlineStyle) =>
  ({ underline }: Style): boolean =>
    underline === style;

/** Attributes with their codes, in the order in which tmux writes them; 42 is written `4:2`. */
const attributes: readonly (readonly [code: number, isSet: (style: Style) => boolean])[] = [
  [1, ({ bold }) => bold],
  [2, ({ dim }) => dim],
  [3, ({ italic }) => italic],
  [4, underlined('single')],
  [5, ({ blink }) => blink],
  [7, ({ inverse }) => inverse],
  [8, ({ hidden }) => hidden],
  [9, ({ strikethrough }) => strikethrough],
  [42, underlined('double')],
  [43, underlined('curly')],
  [44, underlined('dotted')],
  [45, underlined('dashed')],
  [53, ({ overline }) => overline],
];

/** Writes the changes from one style to the next. */
class StyleWriter {
  readonly #escape: string;
  #codes: ReadonlySet<number> = new Set();
  #fg: Color = null;
  #bg: Color = null;
  #underline: Color = null;

  constructor(octal: boolean) {
    this.#escape = octal ? '\\033[' : '\x1b[';
  }

  change(style: Style): string {
    const codes = new Set(attributes.flatMap(([code, isSet]) => (isSet(style) ? [code] : [])));
    const isReset =
      [...this.#codes].some((code) => !codes.has(code)) ||
      (this.#underline !== null && style.underlineColor === null);
    const fresh = [...codes].filter((code) => isReset || !this.#codes.has(code));
    let text = this.#sequence([...(isReset ? [0] : []), ...fresh].map(codeText));
    text += this.#colour(this.#fg, style.fg, 30, isReset);
    text += this.#colour(this.#bg, style.bg, 40, isReset);
    if (style.underlineColor !== null && (isReset || this.#underline !== style.underlineColor)) {
      text += this.#sequence(wideColour(style.underlineColor, 58));
    }
    this.#codes = codes;
    this.#fg = style.fg;
    this.#bg = style.bg;
    this.#underline = style.underlineColor;
    return text;
  }

  #colour(before: Color, now: Color, base: number, isReset: boolean): string {
    if (!isReset && before === now) return '';
    if (now === null) return this.#sequence([String(base + 9)]);
    if (typeof now === 'number' && now < 8) return this.#sequence([String(base + now)]);
    if (typeof now === 'number' && now < 16) return this.#sequence([String(base + 52 + now)]);
    return this.#sequence(wideColour(now, base + 8));
  }

  #sequence(codes: readonly string[]): string {
    return codes.length === 0 ? '' : `${this.#escape}${codes.join(';')}m`;
  }
}

const codeText = (code: number): string =>
  code > 10 && code < 50 ? `4:${code - 40}` : String(code);

export const captureCommands = {
  'capture-pane': {
    usage: '[-aCeJNpPq] [-b buffer-name] [-E end-line] [-S start-line] [-t target-pane]',
    run: capture,
  },
  'clear-history': {
    usage: '[-t target-pane]',
    run: async (call, args) => {
      const { pane } = call.target(args, 'pane');
      const { coordinator } = call.server.programs;
      // The lines are kept by vtr, for its own commands.
      pane.firstLine = (await coordinator.readLines(pane.session, { from: 0, to: 0 })).topLine;
    },
  },
} satisfies Commands;

async function capture(call: Call, args: Arguments): Promise<void> {
  const { server } = call;
  const target = call.target(args, 'pane');
  const { pane } = target;
  if (args.has('P')) throw new TmuxError('vtr does not support capture-pane -P');
  const start = args.value('S');
  const end = args.value('E');
  const reaches = (text: string | undefined) => text?.startsWith('-') === true;
  const rows = await paneRows(
    server.programs.coordinator,
    pane.session,
    reaches(start) || reaches(end) ? pane.firstLine : null,
    await deadRow(call, target),
  );
  const chosen = args.has('a')
    ? behind(rows.behind, args)
    : slice(rows.history, rows.screen, start, end);
  const text = capturedText(chosen, {
    styles: args.has('e'),
    octal: args.has('C'),
    join: args.has('J'),
    keepBlanks: args.has('N'),
  });
  if (args.has('p')) {
    call.output.stdout += `${text}\n`;
    return;
  }
  const limit = server.options.number('buffer-limit');
  server.buffers.set(args.value('b'), `${text}\n`, limit, server.nowMs());
}

/** The row that says how the program of a pane has ended; empty while it runs. */
async function deadRow(call: Call, target: Target): Promise<string> {
  const { pane } = target;
  if (pane.dead?.atMs == null) return '';
  const text = await call.expand(pane.options.text('remain-on-exit-format'), target);
  return [...text.replace(/#\[[^\]]*\]/g, '')].slice(0, pane.cols).join('');
}

/** The screen that the alternate one hides. @throws TmuxError without one, unless quiet */
function behind(rows: readonly Row[] | null, args: Arguments): readonly Row[] {
  if (rows !== null) return slice([], rows, args.value('S'), args.value('E'));
  if (args.has('q')) return [];
  throw new TmuxError('no alternate screen');
}

/** The rows from one to another: 0 is the top of the screen, and those above it are negative. */
function slice(
  history: readonly Row[],
  screen: readonly Row[],
  start: string | undefined,
  end: string | undefined,
): readonly Row[] {
  const last = history.length + screen.length - 1;
  const at = (text: string | undefined, whole: number, initial: number) => {
    if (text === '-') return whole;
    const row = text === undefined ? null : rowNumber(text);
    return row === null ? initial : Math.min(Math.max(0, history.length + row), last);
  };
  const from = at(start, 0, history.length);
  const to = at(end, last, last);
  return [...history, ...screen].slice(Math.min(from, to), Math.max(from, to) + 1);
}

/** Null for anything but a number, which is then ignored. */
function rowNumber(text: string): number | null {
  try {
    return wholeNumber(text, -2_147_483_648, 32_767, 'row');
  } catch {
    return null;
  }
}

interface CaptureOptions {
  /** Whether styles are kept, as SGR sequences. */
  readonly styles: boolean;
  /** Whether characters that are not printable are written in octal. */
  readonly octal: boolean;
  /** Whether wrapped rows are joined; this keeps blanks at the ends of lines. */
  readonly join: boolean;
  readonly keepBlanks: boolean;
}

/** Returns rows as `capture-pane` prints them, without the last line end. */
function capturedText(rows: readonly Row[], options: CaptureOptions): string {
  const writer = new StyleWriter(options.octal);
  let text = '';
  for (const [at, { cells, used, wrapped }] of rows.entries()) {
    const shown =
      options.join || options.keepBlanks
        ? cells.slice(0, used)
        : withoutBlanks(cells, options.styles);
    for (const cell of shown) {
      if (cell.width === 0) continue;
      if (options.styles) text += writer.change(cell.style);
      text += options.octal ? cell.text.replace(/\\/g, '\\\\') : cell.text;
    }
    if (at < rows.length - 1 && !(options.join && wrapped)) text += '\n';
  }
  return text;
}

/** Blanks at the end count only with a background. */
function withoutBlanks(cells: readonly Cell[], styles: boolean): readonly Cell[] {
  let end = cells.length;
  while (end > 0) {
    const cell = cells[end - 1];
    if (cell === undefined || cell.text.trim() !== '' || cell.width === 0) break;
    if (styles && (cell.style.bg !== null || cell.style.inverse)) break;
    end--;
  }
  return cells.slice(0, end);
}

function wideColour(colour: number | string, code: number): string[] {
  if (typeof colour === 'number') return [String(code), '5', String(colour)];
  const number = Number.parseInt(colour.slice(1), 16);
  const parts = [number >> 16, (number >> 8) & 0xff, number & 0xff];
  return [String(code), '2', ...parts.map(String)];
}
