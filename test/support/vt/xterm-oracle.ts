import { StringDecoder } from 'node:string_decoder';
import unicode11 from '@xterm/addon-unicode11';
import xterm from '@xterm/headless';

/** Missing in the types of xterm.js: a write that does not wait. */
interface Core {
  writeSync(data: string): void;
}

/** @xterm/headless as an oracle for the same output. */
export class XtermOracle {
  readonly #terminal: xterm.Terminal;
  // It loses characters whose bytes are split over two writes (xterm.js issue 6003).
  readonly #decoder = new StringDecoder('utf8');

  constructor(size: { cols: number; rows: number }, scrollback: number) {
    this.#terminal = new xterm.Terminal({
      ...size,
      scrollback,
      reflowCursorLine: true,
      allowProposedApi: true,
      logLevel: 'off',
    });
    this.#terminal.loadAddon(new unicode11.Unicode11Addon());
    this.#terminal.unicode.activeVersion = '11';
  }

  feed(bytes: Uint8Array): void {
    const { _core: core } = this.#terminal as unknown as { _core: Core };
    core.writeSync(this.#decoder.write(Buffer.from(bytes)));
  }

  resize(size: { cols: number; rows: number }): void {
    this.#terminal.resize(size.cols, size.rows);
  }

  screen(): string[] {
    const { active } = this.#terminal.buffer;
    return rowsOf(active, active.baseY, active.baseY + this.#terminal.rows);
  }

  /** The text of each cell of a row; a space if it is empty, and nothing after a wide character. */
  cells(row: number): string[] {
    const { active } = this.#terminal.buffer;
    const line = active.getLine(active.baseY + row);
    return Array.from({ length: this.#terminal.cols }, (_, col) => {
      const cell = line?.getCell(col);
      return cell?.getWidth() === 0 ? '' : cell?.getChars() || ' ';
    });
  }

  /** The scrollback of the primary screen. */
  scrollback(): string[] {
    const { normal } = this.#terminal.buffer;
    return rowsOf(normal, 0, normal.baseY);
  }

  cursor(): { row: number; col: number } {
    const { active } = this.#terminal.buffer;
    return { row: active.cursorY, col: Math.min(active.cursorX, this.#terminal.cols - 1) };
  }

  /** The renditions of a cell that both engines support. */
  style(row: number, col: number): string {
    const { active } = this.#terminal.buffer;
    const cell = active.getLine(active.baseY + row)?.getCell(col);
    if (cell === undefined) return '';
    const flags = [
      cell.isBold() && 'bold',
      cell.isDim() && 'dim',
      cell.isItalic() && 'italic',
      cell.isUnderline() && 'underline',
      cell.isBlink() && 'blink',
      cell.isInverse() && 'inverse',
      cell.isInvisible() && 'hidden',
      cell.isStrikethrough() && 'strikethrough',
      cell.isOverline() && 'overline',
    ];
    const fg = cell.isFgDefault() ? '' : colorOf(cell.isFgRGB(), cell.getFgColor());
    const bg = cell.isBgDefault() ? '' : colorOf(cell.isBgRGB(), cell.getBgColor());
    return [...flags.filter(Boolean), `fg ${fg}`, `bg ${bg}`].join(' ');
  }
}

function rowsOf(buffer: xterm.IBuffer, from: number, to: number): string[] {
  const rows: string[] = [];
  for (let row = from; row < to; row++) {
    rows.push((buffer.getLine(row)?.translateToString(true) ?? '').trimEnd());
  }
  return rows;
}

function colorOf(isRgb: boolean, color: number): string {
  return isRgb ? `#${color.toString(16).padStart(6, '0')}` : String(color);
}
