import { expect } from 'vitest';
import type { Cell, Style } from '#model';
import { type Capabilities, capabilitiesOf, type Painted, type Picture, paint } from '#tty';
import { Terminal } from '#vt';
import { verify } from '#vt/checks';
import { reducedStyle } from '../../../src/tty/painting/reduced-style.ts';

const encoder = new TextEncoder();

/** Terminals for which pictures are painted. */
export const terminals: Readonly<Record<string, Capabilities>> = {
  vtr: capabilitiesOf({ TERM: 'xterm-256color' }, [{ of: 'version', text: 'vtr 0.1.0' }]),
  kitty: capabilitiesOf({ TERM: 'xterm-kitty' }),
  xterm: capabilitiesOf({ TERM: 'xterm-256color' }, [{ of: 'version', text: 'XTerm(379)' }]),
  'xterm, unknown': capabilitiesOf({ TERM: 'xterm-256color' }),
  tmux: capabilitiesOf({ TERM: 'screen-256color', TMUX: '/tmp/tmux-0/default,1,0' }),
  screen: capabilitiesOf({ TERM: 'screen', STY: '1.pts-0' }),
  console: capabilitiesOf({ TERM: 'linux' }),
  dumb: capabilitiesOf({ TERM: 'dumb' }),
};

/** The sequences that may be in a painting. */
export const paintedSequence =
  /\x1b(?:\\|\(B|\[[0-9;:]*[mHGCKXbrMLJ]|\[\?(?:5|6|7|25|69|2026)[hl]|\[4l|\[[0-6] q)|\x1b\]2;[^\x07\x1b]*\x1b\\|\x1b\]8;(?:id=v[0-9a-z]+;(?:https|file):[!-~]+|;)\x1b\\|\r\n?|\x08|\x0f/g;

/** What a terminal shows, as a picture. */
export function pictureOf(terminal: Terminal): Picture {
  return {
    size: terminal.size,
    rows: terminal.screenCells().rows,
    cursor: terminal.cursor,
    title: terminal.title,
    reverseVideo: terminal.viewModes.reverseVideo,
  };
}

/** A terminal that reads what is painted for it. */
export class PaintedTerminal {
  readonly terminal: Terminal;
  readonly capabilities: Capabilities;
  #painted: Painted | null = null;

  constructor(terminal: Terminal, capabilities: Capabilities) {
    this.terminal = terminal;
    this.capabilities = capabilities;
  }

  /** Paints a picture and returns the output. */
  show(picture: Picture): string {
    const { bytes, painted } = paint(this.#painted, picture, this.capabilities);
    this.#painted = painted;
    this.terminal.feed(encoder.encode(bytes));
    return bytes;
  }

  /** @throws if the terminal shows something else, or if painting the same again writes anything */
  expectShows(picture: Picture): void {
    const { capabilities } = this;
    const shown = pictureOf(this.terminal);
    const isReversed = picture.reverseVideo && !capabilities.reverseVideo;
    const reduce = (style: Style) => reducedStyle(style, capabilities, isReversed);
    for (const [row, cells] of picture.rows.entries()) {
      const is = look(shown.rows[row] ?? [], (style) => style);
      const should = look(cells.slice(0, picture.size.cols), reduce);
      if (is.join('') !== should.join('')) expect(is, `row ${row}`).toEqual(should);
    }
    const { wrapPending: _, shape, blinking, ...place } = picture.cursor;
    const { cursor } = shown;
    expect(cursor).toMatchObject(capabilities.cursorShapes ? { ...place, shape, blinking } : place);
    if (capabilities.titles) expect(shown.title).toBe(picture.title);
    expect(shown.reverseVideo).toBe(picture.reverseVideo && capabilities.reverseVideo);
    expect(verify(this.terminal)).toEqual([]);
    expect(this.show(picture)).toBe('');
  }
}

const directions = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** The cells as a terminal can show them: of a blank one without lines only the background counts. */
function look(cells: readonly Cell[], reduce: (style: Style) => Style): string[] {
  const words = new Map<Style, { whole: string; blank: string }>();
  const plain = cells.map((cell) =>
    cell.text.length === 1 ? cell : { ...cell, text: cell.text.replace(directions, '') },
  );
  return plain.map((cell, col) => {
    let word = words.get(cell.style);
    if (word === undefined) {
      const style = reduce(cell.style);
      const hasLines = style.underline !== 'none' || style.strikethrough || style.overline;
      const isSeen = hasLines || style.inverse || style.link !== null;
      const whole = JSON.stringify(Object.values(style));
      word = { whole, blank: isSeen ? whole : `on ${style.bg}` };
      words.set(cell.style, word);
    }
    const { text, width } = shownText(cell, plain[col - 1], plain[col + 1]);
    return `${width} ${text} ${text === ' ' ? word.blank : word.whole}\n`;
  });
}

/** A cell that no terminal shows has a replacement; so has half of a wide character. */
function shownText(cell: Cell, before: Cell | undefined, after: Cell | undefined) {
  if (/^[ -~]$/.test(cell.text)) return cell;
  const isWhole = cell.width !== 2 || after?.width === 0;
  if (cell.width === 0) {
    const isTail = before?.width === 2 && isOneCell(before.text, 2);
    return isTail ? { text: '', width: 0 } : { text: ' ', width: 1 };
  }
  const fits =
    isOneCell(cell.text, cell.width) && isOneCell(cell.text, cell.width, after === undefined);
  if (isWhole && fits) return { text: cell.text, width: cell.width };
  return { text: '\ufffd', width: 1 };
}

const cache = new Map<string, boolean>();

/** Whether a terminal shows a text in one cell of this width, after another cell. */
function isOneCell(text: string, width: number, isLast = false): boolean {
  const key = `${width}${isLast}${text}`;
  let isOne = cache.get(key);
  if (isOne === undefined) {
    const terminal = new Terminal({ size: { cols: isLast ? 1 + width : 8, rows: 1 } });
    terminal.feed(encoder.encode(`\x1b[?7la${text}`));
    const [before, cell] = terminal.readRow(0).cells();
    isOne = before?.text === 'a' && cell?.text === text && cell.width === width;
    cache.set(key, isOne);
  }
  return isOne;
}
