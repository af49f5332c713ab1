import { putAscii } from '../grid/cell-writing.ts';
import { fillCells } from '../grid/grid.ts';
import type { TerminalState } from '../state/terminal-state.ts';
import { applyPlainSgr, applySgrValues, noSgrValue } from '../style/sgr.ts';
import { defaultStyle } from '../style/style-word.ts';
import { eraseRight } from './erasing.ts';
import { printUtf8 } from './printing.ts';
import { lineFeed } from './scrolling.ts';

const bs = 0x08;
const lf = 0x0a;
const cr = 0x0d;
const esc = 0x1b;
const csi = 0x5b;
const semicolon = 0x3b;
const digitZero = 0x30;
const digitOne = 0x31;
const digitEight = 0x38;
// After ESC: ASCII becomes the set G0.
const designateG0 = 0x28;
const asciiSet = 0x42;
// The final bytes of control sequences.
const cuu = 0x41;
const cud = 0x42;
const cuf = 0x43;
const cub = 0x44;
const cha = 0x47;
const cup = 0x48;
const el = 0x4b;
const vpa = 0x64;
const sgr = 0x6d;

/** The longest sequence that is read here without a look at the end: CSI, two numbers of three digits. */
const mostBytes = 10;

/**
 * Applies output from `start` on: text, the most frequent controls, SGR, and moves of the cursor in their common form.
 * Returns where it stopped: at anything else, or near the end. It is `start` if nothing was applied.
 *
 * Programs that paint the screen write little else. The parser and the tables of functions apply the same, one by one:
 * that is what output of single bytes does, and both must leave the same terminal.
 *
 * It is one function because of its speed. Numbers that are read by a function, or text that is written by one, make it
 * 10 to 20 % slower.
 */
export function applyPlain(
  t: TerminalState,
  bytes: Uint8Array,
  start: number,
  end: number,
): number {
  const { cursor, grid, modes, pen } = t;
  if (modes.insert || modes.origin || t.charsets.translates) return start;
  const { marginTop, marginBottom, marginLeft, marginRight } = t;
  const { revision, printedSince } = grid;
  const lastRow = t.rows - 1;
  const lastCol = t.cols - 1;
  const last = end - mostBytes;
  let style = pen.style(t.styles);
  let at = start;
  while (at <= last) {
    let byte = bytes[at];
    if (byte === esc) {
      let next = at + 2;
      byte = bytes[next];
      if (bytes[at + 1] !== csi) {
        if (bytes[at + 1] !== designateG0 || byte !== asciiSet) break;
        t.charsets.designate(0, 'ascii');
        at = next + 1;
        continue;
      }
      const second = bytes[next + 1];
      const third = bytes[next + 2];
      const hasColor = second === digitEight && third === semicolon;
      if (hasColor || (second === semicolon && byte <= digitOne)) {
        const after = applyPlainSgr(pen, bytes, next, end);
        if (after > next) {
          style = pen.style(t.styles);
          at = after;
          continue;
        }
      }
      let first = byte - digitZero;
      if (first >>> 0 > 9) first = 0;
      else {
        byte = second;
        next++;
        let digit = byte - digitZero;
        if (digit >>> 0 <= 9) {
          first = Math.imul(first, 10) + digit;
          byte = third;
          next++;
          digit = byte - digitZero;
          if (digit >>> 0 <= 9) {
            first = Math.imul(first, 10) + digit;
            byte = bytes[++next];
          }
        }
      }
      let other = 0;
      if (byte === semicolon) {
        byte = bytes[++next];
        other = byte - digitZero;
        if (other >>> 0 > 9) other = 0;
        else {
          byte = bytes[++next];
          let digit = byte - digitZero;
          if (digit >>> 0 <= 9) {
            other = Math.imul(other, 10) + digit;
            byte = bytes[++next];
            digit = byte - digitZero;
            if (digit >>> 0 <= 9) {
              other = Math.imul(other, 10) + digit;
              byte = bytes[++next];
            }
          }
        }
        if (byte === sgr) {
          if (!applySgrValues(pen, first, other)) break;
          style = pen.style(t.styles);
          at = next + 1;
          continue;
        }
        if (byte !== cup) {
          if (byte !== semicolon) break;
          next = applyPlainSgr(pen, bytes, at + 2, end);
          if (next === at + 2) break;
          style = pen.style(t.styles);
          at = next;
          continue;
        }
      }
      if (byte === sgr) {
        if (!applySgrValues(pen, first, noSgrValue)) break;
        style = pen.style(t.styles);
        at = next + 1;
        continue;
      }
      const { row, col } = cursor;
      const count = first === 0 ? 1 : first;
      switch (byte) {
        case cuu:
          cursor.row = Math.max(row - count, row >= marginTop ? marginTop : 0);
          break;
        case cud:
          cursor.row = Math.min(row + count, row <= marginBottom ? marginBottom : lastRow);
          break;
        case cuf:
          cursor.col = Math.min(col + count, col <= marginRight ? marginRight : lastCol);
          break;
        case cub:
          if (modes.reverseWrap || modes.reverseWrapAnywhere) return at;
          cursor.col = Math.max(col - count, col >= marginLeft ? marginLeft : 0);
          break;
        case cha:
          cursor.col = Math.min(count - 1, lastCol);
          break;
        case cup:
          cursor.row = Math.min(count - 1, lastRow);
          cursor.col = Math.min(other === 0 ? 0 : other - 1, lastCol);
          break;
        case vpa:
          cursor.row = Math.min(count - 1, lastRow);
          break;
        case el:
          if (first !== 0) return at;
          eraseRight(t);
          at = next + 1;
          if (t.stop.now) return at;
          continue;
        default:
          return at;
      }
      cursor.wrapPending = false;
      at = next + 1;
    } else if (byte >= 0x20 && byte < 0x7f) {
      const { row, col } = cursor;
      // Whole lines may go to the scrollback, see `printLines`.
      const mayBeLine = col === 0 && row === marginBottom && at >= t.noLinesBefore;
      if (mayBeLine || cursor.wrapPending) break;
      const limit = col <= marginRight ? marginRight : lastCol;
      const most = Math.min(end, at + limit + 1 - col);
      const meta = grid.metadata(row);
      let after: number;
      if (meta.flags !== 0) {
        const next = putAscii(grid, row, col, bytes, at, most, style);
        after = col + next - at;
        at = next;
        t.lastPrinted = bytes[at - 1];
      } else {
        const { codes } = grid;
        const from = meta.start + col;
        let to = from;
        do {
          codes[to++] = byte;
          if (++at >= most) break;
          byte = bytes[at];
        } while (byte >= 0x20 && byte < 0x7f);
        if (style !== defaultStyle || !meta.isPlain) {
          meta.isPlain = false;
          fillCells(grid.styles, style, from, to);
        }
        after = to - meta.start;
        meta.notePrinted(col, after, revision, printedSince);
        t.lastPrinted = codes[to - 1];
      }
      if (after <= limit) cursor.col = after;
      else {
        cursor.col = limit;
        cursor.wrapPending = true;
      }
    } else if (byte === cr) {
      cursor.col = cursor.col >= marginLeft ? marginLeft : 0;
      cursor.wrapPending = false;
      at++;
    } else if (byte === lf) {
      at++;
      lineFeed(t);
      if (t.stop.now) break;
    } else if (byte === bs) {
      if (modes.reverseWrap || modes.reverseWrapAnywhere) break;
      cursor.col = Math.max(cursor.col - 1, cursor.col >= marginLeft ? marginLeft : 0);
      cursor.wrapPending = false;
      at++;
    } else if (byte >= 0x80) {
      const next = printUtf8(t, bytes, at, end);
      if (next === at) break;
      // Whole lines may have changed the pen.
      style = pen.style(t.styles);
      at = next;
      if (t.stop.now) break;
    } else break;
  }
  return at;
}
