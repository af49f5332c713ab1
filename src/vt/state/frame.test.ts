import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeUtf8 } from '#base';
import { Terminal } from '#vt';
import { verify } from '#vt/checks';
import { expectEqual } from '../../../test/support/expect-equal.ts';
import { runs } from '../../../test/support/run/runs.ts';
import { expectSameTerminal } from '../../../test/support/vt/same-terminal.ts';
import { output, screenSize } from '../../../test/support/vt/terminal-output.ts';

const begin = encodeUtf8('\x1b[?2026h');
const scrollback = { maxLines: 50, maxBytes: 1 << 20 };

/** Everything that a reader sees, by all ways of reading. */
function allReads(terminal: Terminal): unknown {
  const { size, cursor, alternate, firstLine, topLine, endLine } = terminal;
  const rows = Array.from({ length: size.rows }, (_, row) => terminal.readRow(row));
  const lines = [...terminal.readLines(0, Number.POSITIVE_INFINITY)];
  return {
    cursor,
    alternate,
    topLine,
    endLine,
    firstLine,
    text: terminal.screenText(),
    ansi: rows.map((row) => row.ansi()),
    cells: rows.map((row) => row.cells()),
    lines: lines.map(({ line, reader }) => [line, reader.ansi(), reader.text()]),
    fingerprint: terminal.fingerprint(),
    colors: colorsOf(terminal),
  };
}

function colorsOf({ viewModes }: Terminal): unknown {
  const { palette, foreground, background, cursorColor, reverseVideo } = viewModes;
  return { palette, foreground, background, cursorColor, reverseVideo };
}

/** Output that neither ends the frame nor removes lines. */
const drawing = output.filter((bytes) => !/\x1bc|\x1b\[[0-9;]*J|2026|\x1b\[[?=]/.test(text(bytes)));
const text = (bytes: Uint8Array) => new TextDecoder('latin1').decode(bytes);

describe('while a frame is being drawn', () => {
  it('readers see the previous screen', () => {
    const property = fc.property(screenSize, output, drawing, (size, before, drawn) => {
      const terminal = new Terminal({ size, scrollback: { ...scrollback, maxLines: 10_000 } });
      terminal.feed(before);
      terminal.feed(encodeUtf8('\x18\x1b[?2026l'));
      const shown = allReads(terminal);
      terminal.feed(begin);
      terminal.feed(drawn);
      expect(verify(terminal)).toEqual([]);
      if (terminal.frameOpen) expectEqual(allReads(terminal), shown);
    });
    fc.assert(property, runs(500));
  });

  it('the terminal has the same state as without frames, and readers see it when the frame ends', () => {
    const unsaved = output.filter((bytes) => !text(bytes).includes('2026s'));
    const property = fc.property(screenSize, output, unsaved, (size, before, drawn) => {
      const [framed, plain] = [0, 1].map(() => new Terminal({ size, scrollback }));
      for (const terminal of [framed, plain]) terminal?.feed(before);
      framed?.feed(encodeUtf8('\x18\x1b[?2026h'));
      plain?.feed(encodeUtf8('\x18'));
      for (const terminal of [framed, plain]) {
        terminal?.feed(drawn);
        terminal?.feed(encodeUtf8('\x18\x1b[?2026l'));
      }
      expectSameTerminal(framed as Terminal, plain as Terminal);
      expectEqual(allReads(framed as Terminal), allReads(plain as Terminal));
    });
    fc.assert(property, runs(500));
  });

  it('only its rows count as changed when it ends', () => {
    const terminal = new Terminal({ size: { cols: 10, rows: 4 } });
    terminal.feed(encodeUtf8('a\r\nb\r\nc\x1b[?2026h'));
    terminal.feed(encodeUtf8('\x1b[2;1HB'));
    const { revision } = terminal;
    expect(terminal.changedRows(revision - 1)).toEqual([]);
    terminal.feed(encodeUtf8('\x1b[?2026l'));
    expect(terminal.changedRows(revision)).toEqual([1]);
  });

  it('its printed text is reported when it ends, including text that is now in the scrollback', () => {
    const terminal = new Terminal({ size: { cols: 10, rows: 2 } });
    terminal.feed(encodeUtf8('old\x1b[?2026h'));
    for (const line of ['1', '2', '3', '4']) {
      terminal.feed(encodeUtf8(`\r\n${line}`));
      expect([...terminal.printedText()]).toEqual([]);
    }
    terminal.feed(encodeUtf8('\x1b[?2026l'));
    expect([...terminal.printedText()].map(({ text: line }) => line)).toEqual(['1', '2', '3', '4']);
  });

  it('text that it printed on the other screen is reported, too', () => {
    const terminal = new Terminal({ size: { cols: 10, rows: 2 } });
    terminal.feed(encodeUtf8('\x1b[?2026h'));
    terminal.feed(encodeUtf8('one\x1b[?1049h'));
    terminal.feed(encodeUtf8('two'));
    terminal.feed(encodeUtf8('\x1b[?2026l'));
    expect([...terminal.printedText()].map(({ text: line }) => line)).toEqual(['one', '   two']);
  });

  it('a frame that scrolls without end is shown in parts', () => {
    const terminal = new Terminal({ size: { cols: 10, rows: 2 }, scrollback });
    terminal.feed(encodeUtf8('\x1b[?2026h'));
    terminal.feed(encodeUtf8('x\r\n'.repeat(5000)));
    expect(terminal.frameOpen).toBe(true);
    expect([...terminal.printedText()].length).toBeGreaterThan(0);
    terminal.feed(encodeUtf8('y'));
    expect(terminal.screenText()).toEqual(['x', '']);
  });

  it('readers see the whole of a line that begins in the scrollback and has since ended there', () => {
    const terminal = new Terminal({ size: { cols: 4, rows: 1 } });
    terminal.feed(encodeUtf8('\x1b[4Ga\x1b7\x1b[2K\x1b8b'));
    const lines = () => [...terminal.readLines(0, 9)].map(({ reader }) => reader.text());
    const before = lines();
    terminal.feed(encodeUtf8('\x1b[?2026h\x1bM'));
    expect(lines()).toEqual(before);
  });

  it('on a screen too large to be copied, drawing is visible immediately', () => {
    const terminal = new Terminal({ size: { cols: 1000, rows: 100 } });
    terminal.feed(encodeUtf8('\x1b[?2026h'));
    terminal.feed(encodeUtf8('x'));
    expect(terminal.screenText()[0]).toBe('x');
    expect([...terminal.printedText()]).toHaveLength(1);
  });
});
