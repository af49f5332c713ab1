import { StringDecoder } from 'node:string_decoder';
import unicode11 from '@xterm/addon-unicode11';
import headless from '@xterm/headless';
import { styleWords } from './style-words.mjs';
import { stylesByRow, withoutBlankEnd } from './view.mjs';

/** Missing in xterm's types: a write that skips its queue, and whether the cursor is hidden. */
/** @typedef {{ writeSync(text: string): void, coreService: { isCursorHidden: boolean } }} Core */

/** @xterm/headless, with which the screens of our engine are compared. */
export class XtermTerminal {
  /** @type {headless.Terminal} */
  #terminal;
  /** It loses characters whose bytes are cut between two writes (xterm.js issue 6003). */
  #decoder = new StringDecoder('utf8');
  #title = '';

  /** @param {import('#model').Size} size */
  constructor(size) {
    this.#terminal = new headless.Terminal({
      ...size,
      allowProposedApi: true,
      logLevel: 'off',
      windowOptions: { pushTitle: true, popTitle: true },
    });
    this.#terminal.loadAddon(new unicode11.Unicode11Addon());
    this.#terminal.unicode.activeVersion = '11';
    this.#terminal.onTitleChange((title) => {
      this.#title = title;
    });
  }

  get #core() {
    return /** @type {{ _core: Core }} */ (/** @type {unknown} */ (this.#terminal))._core;
  }

  /** @param {Uint8Array} output */
  feed(output) {
    this.#core.writeSync(this.#decoder.write(Buffer.from(output)));
  }

  /** @returns {import('./view.mjs').View} */
  view() {
    const { active } = this.#terminal.buffer;
    const lines = Array.from(
      { length: this.#terminal.rows },
      (_, row) => /** @type {headless.IBufferLine} */ (active.getLine(active.baseY + row)),
    );
    return {
      screen: withoutBlankEnd(lines.map((line) => line.translateToString(true).trimEnd())),
      styles: stylesByRow(lines.map(stylesOf)),
      cursor: {
        row: active.cursorY,
        col: Math.min(active.cursorX, this.#terminal.cols - 1),
        visible: !this.#core.coreService.isCursorHidden,
      },
      alternate: active.type === 'alternate',
      title: this.#title,
    };
  }
}

/** @param {headless.IBufferLine} line */
function stylesOf(line) {
  return Array.from({ length: line.length }, (_, col) => {
    const cell = /** @type {headless.IBufferCell} */ (line.getCell(col));
    return styleWords({
      bold: cell.isBold() !== 0,
      dim: cell.isDim() !== 0,
      italic: cell.isItalic() !== 0,
      underline: cell.isUnderline() !== 0 ? 'single' : 'none',
      blink: cell.isBlink() !== 0,
      inverse: cell.isInverse() !== 0,
      hidden: cell.isInvisible() !== 0,
      strikethrough: cell.isStrikethrough() !== 0,
      overline: cell.isOverline() !== 0,
      link: null,
      fg: cell.isFgDefault() ? null : colorOf(cell.isFgRGB(), cell.getFgColor()),
      bg: cell.isBgDefault() ? null : colorOf(cell.isBgRGB(), cell.getBgColor()),
    });
  });
}

/** @param {boolean} isRgb @param {number} color */
const colorOf = (isRgb, color) => (isRgb ? `#${color.toString(16).padStart(6, '0')}` : color);
