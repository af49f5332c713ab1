import { defined, type PlainText, sanitize } from '#base';
import {
  attributesOf,
  backgroundRgb,
  type Cell,
  type Color,
  cellsText,
  foregroundRgb,
  isHidden,
  type LinesRead,
  type ScreenSnapshot,
  type Style,
  styledRuns,
  VtrError,
} from '#model';
import { type FlagValues, timeRef, toggle, wholeNumber } from '../arguments/flags.ts';
import { output, reach, redaction, redactOf, sessionArgument } from '../arguments/shared-flags.ts';
import type { Context } from '../context.ts';
import { findSession, type Target } from '../coordinators/addressing.ts';
import { tellGap } from '../output/excerpt.ts';
import {
  printColoured,
  printJson,
  printPlain,
  tellRedacted,
  tellRemoved,
  tellTime,
  wantsJson,
} from '../output/printing.ts';
import { isNarrow, widthsFor } from '../output/table.ts';
import { defineVerb } from '../verb.ts';

/** Each row of cells is one line of JSON. */
const jsonLevels = 2;

const flags = {
  ...reach,
  ...output,
  ...redaction,
  plain: toggle('print only the rows; the default in a pipe'),
  frame: toggle('draw a frame with the cursor; the default in a terminal'),
  ansi: toggle('print only the rows, with colours'),
  cells: toggle('list styled text with its position and style; with --json, add every cell'),
  at: timeRef('show it as it was at TIME: 10:32:05, -30s, marker:NAME or command:7'),
  scrollback: wholeNumber(
    'N',
    'also print the N lines above the screen, archived ones included; no frame',
  ),
};

type Given = FlagValues<typeof flags>;

export const screen = defineVerb({
  name: 'screen',
  summary: 'show the screen of a session',
  args: { session: sessionArgument },
  otherFlags: {
    tail: 'vtr read SESSION --tail N',
    head: 'vtr read SESSION --head N',
    format: 'vtr screenshot SESSION -o FILE',
  },
  flags,
  details: [
    'Plain rows end with the last row that is not blank. --json also has the cursor, the size and the title.',
    'With --cells, each line describes one run of styled text: ROW:FIRST-LAST (0-based row and columns), its attributes and colours, and the text.',
    'With --at, shows the screen as it was at TIME, as far back as the session is recorded in memory (about 2 MiB of output). stderr says when that state came about. If TIME is too early, the command fails with NOT_RECORDED (status 4), which names the earliest time. TIME is one of:',
    [
      ['10:32:05', 'a local time of the last 24 hours'],
      ['2026-11-23T10:32:05Z', 'a timestamp'],
      ['-30s', 'a duration ago'],
      ['marker:NAME', 'the last marker with this name'],
      ['command:7', 'the end of a command'],
    ],
    'Control characters and invisible characters (direction marks, tags, zero-width characters) are removed and counted; --ansi adds only colours. --json keeps them: removed is their number, and hidden_text is true if there is text in an invisible colour. Invisible characters before the first character of a line, or in a title, are not kept: they are not counted, and patterns do not match them; vtr read --raw prints them.',
    'With --scrollback while the program uses the alternate screen, the lines above are those of its transcript, without colours; see vtr read --transcript.',
    'With --scrollback, lost_lines in JSON is the number of requested lines that are no longer kept.',
  ],
  examples: [
    { line: 'vtr screen codex', about: 'print the rows; in a terminal, a frame with the cursor' },
    { line: 'vtr screen codex --cells', about: 'find the highlighted entry of a menu' },
    { line: 'vtr screen codex --json', about: 'print rows and cursor as JSON' },
    { line: 'vtr screen codex --at -30s', about: 'show it as it was 30 s ago' },
    { line: 'vtr screen build --scrollback 100', about: 'add 100 lines of scrollback' },
  ],
  async run(context, { args, flags }) {
    const form = chosenForm(flags) ?? (await defaultForm(context, flags));
    const target = await findSession(context, args.session, flags);
    await printers[form](context, target, flags);
    return undefined;
  },
});

const forms = ['json', 'cells', 'ansi', 'frame', 'plain'] as const;

type Form = (typeof forms)[number];

/** Null if no flag chooses. @throws VtrError INVALID_ARGUMENT for flags that exclude each other */
function chosenForm(flags: Given): Form | null {
  const chosen = forms.filter((form) => flags[form] && !(form === 'cells' && flags.json));
  const [form = null, other] = chosen;
  const isAbove = flags.scrollback !== undefined && (form === 'frame' || form === 'cells');
  if (other === undefined && !isAbove) return form;
  const names = [form, other ?? 'scrollback'].map((name) => `--${name}`);
  throw new VtrError('INVALID_ARGUMENT', `${names.join(' and ')} cannot be used together`);
}

async function defaultForm(context: Context, flags: Given): Promise<Form> {
  if (await wantsJson(context, flags)) return 'json';
  return context.isTerminal && flags.scrollback === undefined ? 'frame' : 'plain';
}

type Printer = (context: Context, target: Target, flags: Given) => Promise<void>;

const printers: Readonly<Record<Form, Printer>> = {
  async json(context, target, flags) {
    const { coordinator, coordinatorName, session } = target;
    const read = await coordinator.screen(session, { format: 'cells', ...askedOf(flags) });
    const above = await linesAbove(target, read, flags);
    const texts = above === null ? null : textsOf(above);
    const json = screenJson(coordinatorName, session, read, texts, flags.cells);
    const lost = above === null ? {} : { lost_lines: above.dropped };
    const redacted =
      read.redacted === undefined ? {} : { redacted: read.redacted + (above?.redacted ?? 0) };
    printJson(context, { ...json, ...lost, ...redacted }, jsonLevels);
  },
  async cells(context, { coordinator, session }, flags) {
    const read = await coordinator.screen(session, { format: 'cells', ...askedOf(flags) });
    printPlain(context, cellRuns(read.cells ?? []));
    tellScreen(context, read, null);
  },
  async ansi(context, target, flags) {
    const request = { format: 'ansi', ...askedOf(flags) } as const;
    const read = await target.coordinator.screen(target.session, request);
    const above = await linesAbove(target, read, flags);
    printColoured(context, [...textsOf(above), ...read.text, ''].join('\n'));
    tellScreen(context, read, above);
  },
  async frame(context, { coordinator, session }, flags) {
    const at = askedOf(flags);
    const read = await coordinator.screen(session, { format: 'text', ...at });
    const exact = isPlain(read)
      ? read
      : await coordinator.screen(session, { format: 'cells', ...at });
    const { text, removed } = await screenBox(session, exact);
    context.out(text);
    tellRemoved(context, removed);
    tellScreen(context, read, null);
  },
  async plain(context, target, flags) {
    const request = { format: 'text', ...askedOf(flags) } as const;
    const read = await target.coordinator.screen(target.session, request);
    const above = await linesAbove(target, read, flags);
    const rows = read.text.slice(0, read.text.findLastIndex((row) => row !== '') + 1);
    printPlain(context, [...textsOf(above), ...rows].map((row) => `${row}\n`).join(''));
    tellScreen(context, read, above);
  },
};

const askedOf = ({ at, redact }: Pick<Given, 'at' | 'redact'>) => ({
  ...defined({ at }),
  ...redactOf({ redact }),
});

/** Tells of when a screen is, what was replaced in it and above it, and which lines above are no longer kept. */
function tellScreen(context: Context, read: ScreenSnapshot, above: LinesAbove | null): void {
  tellTime(context, read);
  if (above !== null) tellGap(context, { lines: above.dropped, bytes: 0 });
  const { redacted } = read;
  if (redacted !== undefined) {
    tellRedacted(context, { redacted: redacted + (above?.redacted ?? 0) });
  }
}

type LinesAbove = Pick<LinesRead, 'dropped' | 'redacted'> & {
  readonly lines: readonly Pick<LinesRead['lines'][number], 'text'>[];
};

/** Null without `--scrollback`. */
async function linesAbove(
  { coordinator, session }: Target,
  { topLine, alternate }: ScreenSnapshot,
  flags: Given,
): Promise<LinesAbove | null> {
  const { scrollback, ansi } = flags;
  if (scrollback === undefined) return null;
  if (alternate) {
    const options = { transcript: true, aboveScreen: true, maxLines: scrollback };
    const { text, gap, redacted } = await coordinator.read(session, {
      ...options,
      ...askedOf(flags),
    });
    const lines = text.tail === '' ? [] : text.tail.split('\n').map((row) => ({ text: row }));
    return { lines, dropped: gap.lines, ...defined({ redacted }) };
  }
  return coordinator.readLines(session, {
    from: Math.max(0, topLine - scrollback),
    // Daemons of earlier versions do not know `aboveScreen`.
    to: topLine,
    aboveScreen: true,
    format: ansi ? 'ansi' : 'text',
    ...askedOf(flags),
  });
}

const textsOf = (above: LinesAbove | null): readonly string[] =>
  above?.lines.map(({ text }) => text) ?? [];

/**
 * Lists the runs of a screen that are not in plain style, one per line: row, first and last column
 * (all 0-based), style, and text.
 */
const cellRuns = (rows: readonly (readonly Cell[])[]): string =>
  rows
    .flatMap((cells, row) =>
      styledRuns(cells).map(
        ({ from, to, style, text }) => `${row}:${from}-${to} ${style} ${JSON.stringify(text)}\n`,
      ),
    )
    .join('');

/** Whether the width of each row is known from its text, without cells. */
function isPlain({ text }: ScreenSnapshot): boolean {
  return text.every(isNarrow);
}

/**
 * Draws the screen in a frame with the session's name, and a block for a cursor on a blank.
 * Invisible characters are removed cell by cell, so that columns stay aligned.
 *
 * @param screen with cells unless {@link isPlain}
 */
export async function screenBox(session: string, screen: ScreenSnapshot): Promise<PlainText> {
  const { cols, rows } = screen.size;
  const { cells = [] } = screen;
  const title = `─ ${session} (${cols}×${rows}) `;
  const { textWidth } = await widthsFor([title]);
  const titleWidth = textWidth(title);
  const width = Math.max(cols, titleWidth);
  const lines = Array.from({ length: rows }, (_, row) => `│${filled(rowOf(screen, row), width)}│`);
  const top = `┌${title}${'─'.repeat(width - titleWidth)}┐`;
  return {
    text: [top, ...lines, `└${'─'.repeat(width)}┘`, ''].join('\n'),
    removed: cells.flat().reduce((sum, { text }) => sum + sanitize(text).removed, 0),
  };
}

interface Row {
  readonly text: string;
  readonly columns: number;
}

const filled = ({ text, columns }: Row, width: number): string =>
  text + ' '.repeat(Math.max(0, width - columns));

function rowOf(screen: ScreenSnapshot, row: number): Row {
  const cells = cellsOf(screen, row);
  const { cursor } = screen;
  if (cursor.visible && cursor.row === row && (cells[cursor.col] ?? ' ') === ' ') {
    while (cells.length < cursor.col) cells.push(' ');
    cells[cursor.col] = '█';
  }
  return { text: cells.join(''), columns: cells.length };
}

/** Returns one text per column; the right half of a wide character is empty. */
function cellsOf({ text, cells }: ScreenSnapshot, row: number): string[] {
  const cell = cells?.[row];
  return cell === undefined ? [...(text[row] ?? '')] : cell.map(plainText);
}

/** A cell with only invisible characters becomes blank. */
const plainText = ({ text, width }: Cell): string =>
  text === '' ? '' : sanitize(text).text || ' '.repeat(width);

/**
 * Returns a screen with the field names of the service's `GetScreenResponse`, and its rows as text.
 *
 * @param screen with cells
 * @param above the lines above it, or null to omit them
 * @param isFull adds the cells
 */
function screenJson(
  coordinator: string,
  session: string,
  { size, cursor, cells = [], ...screen }: ScreenSnapshot,
  above: readonly string[] | null,
  isFull: boolean,
) {
  const { row, col, visible, shape, blinking } = cursor;
  const lines = cells.map(cellsText);
  return {
    coordinator,
    name: session,
    cols: size.cols,
    rows: size.rows,
    cursor_x: col,
    cursor_y: row,
    cursor: { visible, shape, blinking },
    alternate: screen.alternate,
    title: screen.title,
    revision: screen.revision,
    ...(screen.atMs === undefined ? {} : { at: new Date(screen.atMs).toISOString() }),
    removed: sanitize([...(above ?? []), ...lines].join('\n')).removed,
    hidden_text: cells.some((each) => each.some(isHidden)),
    lines,
    ...defined({ scrollback: above }),
    ...(isFull ? { screen_rows: cells.map((each) => ({ cells: each.map(cellJson) })) } : {}),
  };
}

/** Always has the specification's four fields; others only if set. */
const cellJson = ({ text, width, style }: Cell) => ({
  char: text,
  fg_color: foregroundRgb(style.fg),
  bg_color: backgroundRgb(style.bg),
  attributes: attributesOf(style),
  ...(width === 2 ? { wide: true } : {}),
  ...colorJson('fg', style.fg),
  ...colorJson('bg', style.bg),
  ...colorJson('underline_color', style.underlineColor),
  ...underlineJson(style),
  ...defined({ link: style.link }),
});

/** The colour as the program set it: an entry of the palette, or `#rrggbb`. */
const colorJson = (name: string, color: Color) => (color === null ? {} : { [name]: color });

/** A single underline is among the attributes. */
const underlineJson = ({ underline }: Style) =>
  underline === 'none' || underline === 'single' ? {} : { underline_style: underline };
