import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeUtf8 } from '#base';
import { Terminal } from '#vt';
import { verify } from '#vt/checks';
import { runs } from '../../../test/support/run/runs.ts';
import { expectSameTerminal } from '../../../test/support/vt/same-terminal.ts';
import { output } from '../../../test/support/vt/terminal-output.ts';
import { inside } from '../terminal.ts';

const plain = fc.oneof(
  fc.stringMatching(/^[ -~]{0,12}$/),
  fc.integer({ min: 0, max: 99 }).map((length) => 'x'.repeat(length)),
);
const other = fc.constantFrom(
  ...['\x1b[31mred', '\x1b[m', 'a\tb', '漢字', 'e\u0301', '\x7f', '\x1b[3b', '\x1b[A', '\x1b[2;3r'],
  ...[
    '\x1b[?7l',
    '\x1b[?7h',
    '\x1b[r',
    '\x1b[?2026h',
    '\x1b[?2026l',
    '\x1b[2K',
    '\x1b[3J',
    '\x1b(0',
  ],
);
const lines = fc.array(
  fc.oneof({ weight: 30, arbitrary: plain }, { weight: 1, arbitrary: other }),
  { maxLength: 80 },
);

/** Lines of a log in colour, and of text that is not ASCII; few of them cannot be read ahead. */
const pieces = fc.constantFrom(
  ...[
    '\x1b[31m',
    '\x1b[38;2;1;2;3m',
    '\x1b[38;2;250;2;3m',
    '\x1b[1;4;48;5;9m',
    '\x1b[m',
    '\x1b[0m',
    '\x1b[49m',
  ],
  ...[
    '漢字',
    '漢字漢字漢字漢',
    '한국어漢│字한국어',
    'Ж한국é日本語',
    '한국',
    '\u1112\u1161\u11ab',
    '😀',
    'é',
    'e\u0301',
    '│──┤',
    '👩‍👩‍👧',
    '🇩🇪',
    '🇩',
    '❤',
    '\ufe0f',
    '⌚\ufe0e',
  ],
  ...['1\ufe0f\u20e3', '☝🏽', 'क्षि', '\u200d', '🔥', 'ｱ', '\u0301', '\u00a0', '𠀀'],
);
const piece = fc.oneof(fc.stringMatching(/^[ -~]{1,12}$/), pieces, fc.constant('漢字 text'));
const styledLine = fc.array(piece, { maxLength: 6 }).map((list) => `${list.join('')}\x1b[49m`);
const styledLines = fc.array(
  fc.oneof(
    { weight: 30, arbitrary: styledLine },
    { weight: 30, arbitrary: plain },
    { weight: 1, arbitrary: other },
    { weight: 1, arbitrary: piece },
  ),
  { minLength: 20, maxLength: 80 },
);

interface Beginning {
  readonly size: { readonly cols: number; readonly rows: number };
  readonly maxLines: number;
  /** Output before the flood. */
  readonly before: Uint8Array;
}

const beginning: fc.Arbitrary<Beginning> = fc.record({
  size: fc.record({
    cols: fc.integer({ min: 1, max: 20 }),
    rows: fc.oneof(fc.integer({ min: 1, max: 6 }), fc.integer({ min: 7, max: 30 })),
  }),
  maxLines: fc.constantFrom(0, 5, 1_000),
  before: fc.oneof(output, fc.constant(new Uint8Array())),
});

/** The last feed is a flood. A second carriage return changes nothing, except that the lines are printed one by one. */
function flooded(
  { size, maxLines, before }: Beginning,
  texts: readonly string[],
  end: string,
): Terminal {
  const terminal = new Terminal({ size, scrollback: { maxLines, maxBytes: 1 << 20 } });
  // The screen is full, so that the flood scrolls it.
  terminal.feed(encodeUtf8('full\r\n'.repeat(size.rows)));
  terminal.feed(before);
  terminal.feed(encodeUtf8(texts.map((text) => `${text}${end}`).join('')));
  return terminal;
}

const factsFor = (terminal: Terminal) => ({
  printed: [...terminal.printedText()],
  ids: [...terminal.rowIds()],
  changed: [terminal.revision - 1, terminal.revision - 2].map((at) => terminal.changedRows(at)),
  rewritten: terminal.rewrittenFrom(terminal.revision - 1),
  bytes: terminal[inside].state.scrollback.bytes,
  work: terminal.work,
  lines: [terminal.firstLine, terminal.linesEnd, terminal.textBytes(0, terminal.endLine)],
});

describe.each([
  { name: 'plain lines of a flood', texts: lines },
  { name: 'styled lines of a flood', texts: styledLines },
])('$name', ({ texts: anyLines }) => {
  it('[law 2] change the terminal as if they had been printed one by one', () => {
    fc.assert(
      fc.property(beginning, anyLines, (options, texts) => {
        const atOnce = flooded(options, texts, '\r\n');
        const oneByOne = flooded(options, texts, '\r\r\n');
        expect(verify(atOnce)).toEqual([]);
        expectSameTerminal(atOnce, oneByOne);
        expect(factsFor(atOnce)).toEqual(factsFor(oneByOne));
      }),
      runs(1500),
    );
  });

  it('[law 2] have the same effect in chunks', () => {
    fc.assert(
      fc.property(
        beginning,
        anyLines,
        fc.integer({ min: 1, max: 200 }),
        (options, texts, bytes) => {
          const whole = flooded(options, texts, '\r\n');
          const parts = flooded(options, [], '');
          const all = encodeUtf8(texts.map((text) => `${text}\r\n`).join(''));
          for (let at = 0; at < all.length; at += bytes) parts.feed(all.subarray(at, at + bytes));
          expectSameTerminal(parts, whole);
        },
      ),
      runs(500),
    );
  });
});

/** Without the capacity of pages: a blank row that was read takes more. */
const shownFacts = (terminal: Terminal) => ({ ...factsFor(terminal), bytes: 0 });

/** What readers do between two feeds. */
const readers: readonly ((terminal: Terminal) => unknown)[] = [
  (terminal) => terminal.screenText(),
  (terminal) => terminal.readRow(0).cells(),
  (terminal) => terminal.dump(),
  (terminal) => terminal.placeOf(terminal.topLine + 1, 3),
  (terminal) => terminal.rowFingerprints(),
];
const reads = fc.array(fc.option(fc.constantFrom(...readers)), { minLength: 1, maxLength: 8 });

describe('rows that are text', () => {
  it('are the same for those who read them between feeds', () => {
    fc.assert(
      fc.property(
        beginning,
        fc.oneof(lines, styledLines),
        fc.oneof(fc.integer({ min: 10, max: 200 }), fc.integer({ min: 201, max: 2_000 })),
        reads,
        output,
        (options, texts, bytes, list, after) => {
          const [unread, read] = [flooded(options, [], ''), flooded(options, [], '')];
          const all = encodeUtf8(texts.map((text) => `${text}\r\n`).join(''));
          for (let at = 0; at < all.length; at += bytes) {
            const chunk = all.subarray(at, at + bytes);
            unread.feed(chunk);
            read.feed(chunk);
            list[(at / bytes) % list.length]?.(read);
          }
          expect(shownFacts(unread)).toEqual(shownFacts(read));
          unread.feed(after);
          read.feed(after);
          expect(shownFacts(unread)).toEqual(shownFacts(read));
          expect(verify(unread)).toEqual([]);
          expectSameTerminal(unread, read);
        },
      ),
      runs(1000),
    );
  });

  it('are the same after a read, if a feed has a few more lines than the screen', () => {
    const options = { size: { cols: 20, rows: 12 }, maxLines: 100, before: new Uint8Array() };
    const [unread, read] = [flooded(options, [], ''), flooded(options, [], '')];
    for (let feed = 0; feed < 3; feed++) {
      const texts = Array.from({ length: 20 }, (_, line) => `漢字 ${feed} ${line}\r\n`);
      unread.feed(encodeUtf8(texts.join('')));
      read.feed(encodeUtf8(texts.join('')));
      expect(read.screenText()[0]).toBe(`漢字 ${feed} 9`);
    }
    expect(shownFacts(unread)).toEqual(shownFacts(read));
    expectSameTerminal(unread, read);
  });

  it('are cut at another width as cells are', () => {
    fc.assert(
      fc.property(
        beginning,
        styledLines,
        fc.integer({ min: 1, max: 20 }),
        (options, texts, cols) => {
          const [unread, read] = ['\r\n', '\r\r\n'].map((end) => flooded(options, texts, end));
          if (unread === undefined || read === undefined) throw new Error('two were made');
          for (const terminal of [unread, read])
            terminal.resize({ cols, rows: options.size.rows + 1 });
          expect(verify(unread)).toEqual([]);
          expectSameTerminal(unread, read);
        },
      ),
      runs(300),
    );
  });
});

describe('lines of a flood', () => {
  it.each([
    ['a surrogate', [0xed, 0xa0, 0x80]],
    ['three bytes for a character of two', [0xe0, 0x83, 0xa9]],
    ['two bytes for a character of one', [0xc1, 0x81]],
    ['four bytes for a character of three', [0xf0, 0x8f, 0xbf, 0xbf]],
    ['a control of two bytes', [0xc2, 0x85]],
    ['a part of a character', [0xe6, 0xbc]],
    ['a byte that begins no character', [0xbf]],
  ])('with %s are printed as one by one', (_, bytes) => {
    const wide = [...encodeUtf8('漢字漢字漢字')];
    const options = { size: { cols: 30, rows: 5 }, maxLines: 100, before: new Uint8Array() };
    for (let at = 0; at <= wide.length; at += 3) {
      const line = [...wide.slice(0, at), ...bytes, ...wide.slice(at)];
      const [atOnce, oneByOne] = [
        [13, 10],
        [13, 13, 10],
      ].map((end) => {
        const terminal = flooded(options, [], '');
        const texts = Array.from({ length: 40 }, () => [...wide, ...end]);
        terminal.feed(Uint8Array.from([...texts, [...line, ...end], ...texts].flat()));
        return terminal;
      });
      if (atOnce === undefined || oneByOne === undefined) throw new Error('two were made');
      expectSameTerminal(atOnce, oneByOne);
      expect(factsFor(atOnce)).toEqual(factsFor(oneByOne));
    }
  });

  it('fill pages as rows do', () => {
    const options = { size: { cols: 80, rows: 24 }, maxLines: 10_000, before: new Uint8Array() };
    const [atOnce, oneByOne] = ['\r\n', '\r\r\n'].map((end) => {
      const terminal = flooded(options, [], end);
      for (let length = 0; length < 40; length++) {
        const line = `${'line '.repeat(length)}${end}`;
        terminal.feed(encodeUtf8(line.repeat(40)));
      }
      return terminal;
    });
    expectSameTerminal(atOnce, oneByOne);
    const [bytes, others] = [atOnce, oneByOne].map((each) => each?.[inside].state.scrollback.bytes);
    expect(bytes).toBe(others);
  });
});
