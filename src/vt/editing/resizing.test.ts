import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eraseOutput, type ScreenPlace, type Size } from '#model';
import { Terminal } from '#vt';
import { stateOf, verify } from '#vt/checks';
import { runs } from '../../../test/support/run/runs.ts';
import { output, screenSize, sizeChange } from '../../../test/support/vt/terminal-output.ts';

const encoder = new TextEncoder();

function terminalOf(cols: number, rows: number, text = '', maxLines = 10_000): Terminal {
  const terminal = new Terminal({
    size: { cols, rows },
    scrollback: { maxLines, maxBytes: 1 << 24 },
  });
  terminal.feed(encoder.encode(text));
  return terminal;
}

/** The number and text of every line that is not empty. */
function linesOf(terminal: Terminal): [number, string][] {
  const lines = [...terminal.readLines(terminal.firstLine, terminal.endLine)];
  return lines
    .map(({ line, reader }): [number, string] => [line, reader.text()])
    .filter(([, text]) => text !== '');
}

function shown(terminal: Terminal) {
  const { row, col, wrapPending } = terminal.cursor;
  return {
    screen: terminal.screenText().join('|'),
    cursor: `${row} ${col}${wrapPending ? ' wrap' : ''}`,
    above: terminal.scrollbackRows().join('|'),
  };
}

interface Case {
  readonly what: string;
  readonly from: [cols: number, rows: number];
  readonly text: string;
  readonly to: [cols: number, rows: number][];
  readonly screen: string;
  readonly cursor: string;
  readonly above?: string;
}

// `|` separates the rows of a screen.
const reflows: Case[] = [
  {
    what: 'a line that no longer fits takes another row',
    from: [8, 4],
    text: 'abcdefgh\r\n$ ',
    to: [[5, 4]],
    screen: 'abcde|fgh|$|',
    cursor: '2 2',
  },
  {
    what: 'rows of one line are joined when they fit',
    from: [5, 4],
    text: 'abcdefgh\r\n$ ',
    to: [[8, 4]],
    screen: 'abcdefgh|$||',
    cursor: '1 2',
  },
  {
    what: 'separate lines are not joined',
    from: [4, 3],
    text: 'abcd\r\nefgh',
    to: [[8, 3]],
    screen: 'abcd|efgh|',
    cursor: '1 4',
  },
  {
    what: 'the cursor stays on its character',
    from: [8, 4],
    text: 'abcdefgh\x1b[1;7H',
    to: [[5, 4]],
    screen: 'abcde|fgh||',
    cursor: '1 1',
  },
  {
    what: 'a cursor after the text stays after it, up to the last column',
    from: [20, 3],
    text: 'abc\x1b[1;16H',
    to: [[10, 3]],
    screen: 'abc||',
    cursor: '0 9',
  },
  {
    what: 'a cursor after a row that is now full has a wrap pending',
    from: [10, 3],
    text: 'abcde',
    to: [[5, 3]],
    screen: 'abcde||',
    cursor: '0 4 wrap',
  },
  {
    what: 'a pending wrap ends if there is room',
    from: [5, 3],
    text: 'abcde',
    to: [[10, 3]],
    screen: 'abcde||',
    cursor: '0 5',
  },
  {
    what: 'a pending wrap in a line that wraps elsewhere',
    from: [6, 3],
    text: 'abcdef',
    to: [[4, 3]],
    screen: 'abcd|ef|',
    cursor: '1 2',
  },
  {
    what: 'a wide character is not split at the edge',
    from: [6, 3],
    text: 'ab漢字',
    to: [[5, 3]],
    screen: 'ab漢|字|',
    cursor: '1 2',
  },
  {
    what: 'a head spacer is not part of the line',
    from: [5, 3],
    text: 'ab漢字',
    to: [
      [3, 3],
      [9, 3],
    ],
    screen: 'ab漢字||',
    cursor: '0 6',
  },
  {
    what: 'empty rows below the cursor are removed before text',
    from: [6, 5],
    text: 'abcdef\r\nx',
    to: [[3, 4]],
    screen: 'abc|def|x|',
    cursor: '2 1',
  },
  {
    what: 'text goes to the scrollback if there is no room',
    from: [6, 3],
    text: 'abcdef\r\nghijkl\r\nx',
    to: [[3, 3]],
    screen: 'ghi|jkl|x',
    cursor: '2 1',
    above: 'abc|def',
  },
  {
    what: 'a line that begins in the scrollback stays one line',
    from: [4, 2],
    text: 'abcdefghijkl',
    to: [[5, 2]],
    screen: 'fghij|kl',
    cursor: '1 2',
    above: 'abcde',
  },
  {
    what: 'such a line comes back whole',
    from: [4, 2],
    text: 'abcdefghijkl',
    to: [
      [3, 2],
      [12, 2],
    ],
    screen: 'abcdefghijkl|',
    cursor: '0 11 wrap',
    above: '',
  },
  {
    what: 'rows that are joined make room for lines from the scrollback',
    from: [4, 3],
    text: '1\r\n2\r\n3\r\nabcdefgh',
    to: [[8, 3]],
    screen: '2|3|abcdefgh',
    cursor: '2 7 wrap',
    above: '1',
  },
  {
    what: 'text erased to the end of a row stays in the row with its background',
    from: [8, 3],
    text: '\x1b[41mab\x1b[K\x1b[m\r\nx',
    to: [[4, 3]],
    screen: 'ab|x|',
    cursor: '1 1',
  },
  {
    what: 'a line that is being edited keeps its rows, because its editor counts them',
    from: [5, 4],
    text: '\x1b[?2004h$ abcdef',
    to: [[8, 4]],
    screen: '$ abc|def||',
    cursor: '1 3',
  },
  {
    what: 'an edited line is still one line, wrapped again when editing ends',
    from: [5, 4],
    text: '\x1b[?2004h$ abcdef\r\n',
    to: [[8, 4]],
    screen: '$ abcdef|||',
    cursor: '1 0',
  },
];

const rowsOnly: Case[] = [
  {
    what: 'fewer rows: empty rows below the cursor are removed',
    from: [5, 5],
    text: '1\r\n2',
    to: [[5, 2]],
    screen: '1|2',
    cursor: '1 1',
  },
  {
    what: 'fewer rows: then the topmost rows go to the scrollback',
    from: [5, 4],
    text: '1\r\n2\r\n3\r\n4',
    to: [[5, 2]],
    screen: '3|4',
    cursor: '1 1',
    above: '1|2',
  },
  {
    what: 'fewer rows: text below the cursor is kept',
    from: [5, 4],
    text: '1\r\n2\r\n3\r\n4\x1b[3;1H',
    to: [[5, 2]],
    screen: '3|4',
    cursor: '0 0',
    above: '1|2',
  },
  {
    what: 'more rows: a cursor in the last row stays there, and text comes back',
    from: [5, 2],
    text: '1\r\n2\r\n3\r\n4',
    to: [[5, 3]],
    screen: '2|3|4',
    cursor: '2 1',
    above: '1',
  },
  {
    what: 'more rows than there is scrollback',
    from: [5, 2],
    text: '1\r\n2\r\n3',
    to: [[5, 5]],
    screen: '1|2|3||',
    cursor: '2 1',
  },
  {
    what: 'more rows: below a cursor elsewhere, empty rows are added',
    from: [5, 2],
    text: '1\r\n2\r\n3\x1b[H',
    to: [[5, 3]],
    screen: '2|3|',
    cursor: '0 0',
    above: '1',
  },
  {
    what: 'a pending wrap stays pending',
    from: [3, 2],
    text: 'abc',
    to: [[3, 4]],
    screen: 'abc|||',
    cursor: '0 2 wrap',
  },
  {
    what: 'resizing back restores the screen',
    from: [5, 3],
    text: '1\r\n2\r\n3\r\n4\r\n5',
    to: [
      [5, 1],
      [5, 3],
    ],
    screen: '3|4|5',
    cursor: '2 1',
    above: '1|2',
  },
];

interface ErasedCase extends Case {
  readonly place: ScreenPlace;
}

const erased: ErasedCase[] = [
  {
    what: 'a prompt leaves the rows that it took, above the cursor',
    from: [8, 5],
    text: 'output\r\nprompt\r\n$ typed',
    place: { row: 1, col: 0 },
    to: [[3, 5]],
    screen: 'out|put|||',
    cursor: '3 2',
  },
  {
    what: 'a prompt of several rows leaves them in more columns',
    from: [4, 5],
    text: 'a line\r\nprompt $ ',
    place: { row: 2, col: 0 },
    to: [[8, 5]],
    screen: 'a line||||',
    cursor: '3 1',
  },
  {
    what: 'a prompt that begins in the last row of output without a line end leaves that',
    from: [13, 3],
    text: 'output$ typed',
    place: { row: 0, col: 6 },
    to: [[4, 3]],
    screen: 'outp|ut|',
    cursor: '1 3',
  },
  {
    what: 'a prompt below a full row of output is not joined to it',
    from: [4, 3],
    text: 'full$ x',
    place: { row: 1, col: 0 },
    to: [[12, 3]],
    screen: 'full||',
    cursor: '1 3',
  },
  {
    what: 'a prompt that begins above the screen leaves that part there',
    from: [4, 2],
    text: '1\r\nprompt $ typed',
    place: { row: 0, col: 0 },
    to: [[8, 2]],
    screen: '|',
    cursor: '1 2',
    above: '1|prompt $',
  },
  {
    what: 'colours, margins and origin mode do not matter',
    from: [6, 3],
    text: 'a\r\nprompt\r\nx\x1b[41m\x1b[2;3r\x1b[?6h\x1b[2;2H',
    place: { row: 1, col: 0 },
    to: [[3, 3]],
    screen: 'a||',
    cursor: '2 1',
  },
];

describe('a resize that erases a prompt', () => {
  it.each(erased)('$what', ({ from, text, place, to, screen, cursor, above }) => {
    const terminal = terminalOf(...from, text);
    for (const [cols, rows] of to) terminal.resize({ cols, rows }, place);
    expect(shown(terminal)).toEqual({ screen, cursor, above: above ?? '' });
    expect(verify(terminal)).toEqual([]);
  });

  it('changes nothing above the prompt', () => {
    const property = fc.property(screenSize, output, sizeChange, (size, bytes, change) => {
      const terminal = terminalOf(size.cols, size.rows);
      terminal.feed(bytes);
      terminal.endFrame();
      if (terminal.alternate || change.place === undefined) return;
      const row = Math.min(change.place.row, size.rows - 1);
      const endRow = (line: number) => terminal.placeOf(line + 1, 0)?.row ?? size.rows;
      const before = linesOf(terminal).filter(([line]) => endRow(line) <= row);
      terminal.resize(change.size, change.place);
      expect(linesOf(terminal).slice(0, before.length)).toEqual(before);
    });
    fc.assert(property, runs(1000));
  });

  it('does what the output does that erases before a resize', () => {
    const property = fc.property(screenSize, output, sizeChange, (size, bytes, change) => {
      const { size: next, place } = change;
      const fed = () => {
        const terminal = terminalOf(size.cols, size.rows);
        terminal.feed(bytes);
        terminal.endFrame();
        return terminal;
      };
      const [terminal, exact, plain] = [fed(), fed(), fed()];
      if (next.cols === size.cols && next.rows === size.rows) return;
      const sparesCells = stateOf(terminal).modes.protection === 'iso';
      if (terminal.alternate || terminal.isPending || sparesCells || place === undefined) return;
      exact.feed(encoder.encode(exact.eraseOutput(place)));
      plain.feed(encoder.encode(eraseOutput(place)));
      terminal.resize(next, place);
      for (const each of [exact, plain]) {
        each.resize(next);
        expect(shown(each)).toEqual(shown(terminal));
      }
    });
    fc.assert(property, runs(500));
  });
});

describe('resizing the primary screen', () => {
  it.each([...reflows, ...rowsOnly])('$what', ({ from, text, to, screen, cursor, above }) => {
    const terminal = terminalOf(...from, text);
    for (const [cols, rows] of to) terminal.resize({ cols, rows });
    expect(shown(terminal)).toEqual({ screen, cursor, above: above ?? '' });
    expect(verify(terminal)).toEqual([]);
  });

  it('keeps the number and text of every line at all sizes', () => {
    const sizes = fc.array(screenSize, { minLength: 1, maxLength: 5 });
    const property = fc.property(screenSize, output, sizes, (size, bytes, nexts) => {
      const terminal = terminalOf(size.cols, size.rows);
      terminal.feed(bytes);
      // A resize ends an open frame.
      terminal.endFrame();
      const before = linesOf(terminal);
      for (const next of nexts) {
        terminal.resize(next);
        expect(linesOf(terminal)).toEqual(before);
      }
    });
    fc.assert(property, runs(1000));
  });

  it('keeps the cursor where the next character belongs at all sizes', () => {
    const words = fc.stringMatching(/^[a-z]{1,30}$/);
    const sizes = fc.array(screenSize, { minLength: 1, maxLength: 4 });
    const property = fc.property(
      screenSize,
      fc.array(words),
      words,
      sizes,
      (size, lines, last, nexts) => {
        const terminal = terminalOf(size.cols, size.rows, [...lines, last].join('\r\n'));
        for (const next of nexts) terminal.resize(next);
        terminal.feed(encoder.encode('X'));
        expect(linesOf(terminal).at(-1)?.[1]).toBe(`${last}X`);
      },
    );
    fc.assert(property, runs(500));
  });

  it('lets a line editor redraw its line without erasing the text above', () => {
    const terminal = terminalOf(10, 5, 'above\r\n\x1b[?2004h$ 0123456789');
    terminal.resize({ cols: 20, rows: 5 });
    // Moves up as many rows as were written, then writes them again.
    terminal.feed(encoder.encode('\r\x1b[K\x1b[A\r\x1b[K$ 0123456789'));
    expect(terminal.screenText()).toEqual(['above', '$ 0123456789', '', '', '']);
    expect(linesOf(terminal)).toEqual([
      [0, 'above'],
      [1, '$ 0123456789'],
    ]);
  });

  it('moves the saved cursor with the text', () => {
    const terminal = terminalOf(8, 4, 'abcdefgh\r\nxy\x1b[1;7H\x1b7\x1b[2;3H');
    terminal.resize({ cols: 5, rows: 4 });
    terminal.feed(encoder.encode('\x1b8G'));
    expect(terminal.screenText()).toEqual(['abcde', 'fGh', 'xy', '']);
  });

  it('keeps the distance of a saved cursor below the text', () => {
    const terminal = terminalOf(8, 5, 'abcdefgh\x1b[4;2H\x1b7\x1b[1;3H');
    terminal.resize({ cols: 4, rows: 5 });
    terminal.feed(encoder.encode('\x1b8'));
    expect(terminal.cursor).toMatchObject({ row: 4, col: 1 });
  });

  it('resets the margins and sets tab stops in the new columns', () => {
    const terminal = terminalOf(10, 5, '\x1b[2;3r\x1b[3g\x1b[1;4H\x1bH');
    terminal.resize({ cols: 20, rows: 6 });
    terminal.feed(encoder.encode('\x1b[6;1H\t\t.\x1b[6;1H\n'));
    expect(terminal.screenText()).toEqual(['', '', '', '', '                .', '']);
  });

  it('clips wide characters in a single column and restores them', () => {
    const terminal = terminalOf(6, 4, 'a漢e\u0301字');
    terminal.resize({ cols: 1, rows: 4 });
    expect(terminal.screenText()).toEqual(['a', '漢', 'e\u0301', '字']);
    expect(terminal.readRow(1).cells()).toMatchObject([{ text: '漢', width: 1 }]);
    terminal.feed(encoder.encode('한'));
    terminal.resize({ cols: 10, rows: 2 });
    expect(terminal.screenText()).toEqual(['a漢e\u0301字한', '']);
  });

  it('does not bring back dropped lines', () => {
    const text = Array.from({ length: 30 }, (_, index) => index).join('\r\n');
    const terminal = terminalOf(5, 2, text, 10);
    expect(terminal.firstLine).toBe(18);
    terminal.resize({ cols: 5, rows: 6 });
    expect(terminal.firstLine).toBe(18);
    expect(linesOf(terminal)[0]).toEqual([18, '18']);
    terminal.resize({ cols: 5, rows: 40 });
    expect(terminal.screenText()[0]).toBe('18');
  });
});

describe('resizing the alternate screen', () => {
  it('truncates it, and wraps the primary screen again', () => {
    const terminal = terminalOf(8, 3, 'abcdefgh\x1b[?1049h\x1b[Hmenu-bar\r\nx');
    terminal.resize({ cols: 4, rows: 3 });
    expect(shown(terminal)).toMatchObject({ screen: 'menu|x|', cursor: '1 1' });
    terminal.feed(encoder.encode('\x1b[?1049l'));
    expect(shown(terminal)).toEqual({ screen: 'abcd|efgh|', cursor: '1 3 wrap', above: '' });
  });
});

describe('a thousand resizes', () => {
  it('[law 9] affect only the lines on the screen', () => {
    const lines = Array.from(
      { length: 10_000 },
      (_, index) => `${index} ${'x'.repeat(index % 150)}`,
    );
    const terminal = terminalOf(80, 24, lines.join('\r\n'));
    const before = linesOf(terminal);
    const sizes: Size[] = Array.from({ length: 1_000 }, (_, index) => ({
      cols: 20 + ((index * 37) % 180),
      rows: 5 + ((index * 11) % 60),
    }));
    const start = process.cpuUsage();
    for (const size of sizes) terminal.resize(size);
    const { user, system } = process.cpuUsage(start);
    expect((user + system) / 1000).toBeLessThan(2_000);
    expect(verify(terminal)).toEqual([]);
    expect(linesOf(terminal)).toEqual(before);
  });
});
