import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Terminal } from '#vt';
import { inspect, stateOf, verify } from '#vt/checks';
import {
  restoreTerminal,
  type SavedLines,
  type SavedTerminal,
  saveLines,
  saveTerminal,
} from '#vt/saving';
import { expectEqual } from '../../../test/support/expect-equal.ts';
import { runs } from '../../../test/support/run/runs.ts';
import { chunkings } from '../../../test/support/vt/chunkings.ts';
import { readRecordings } from '../../../test/support/vt/kept-output.ts';
import { expectSameTerminal } from '../../../test/support/vt/same-terminal.ts';
import { output, screenSize } from '../../../test/support/vt/terminal-output.ts';

type Size = { cols: number; rows: number };
type Step = Uint8Array | Size | 'end frame';

const scrollback = { maxLines: 50, maxBytes: 1 << 20 };
const options = (size: Size) => ({ size, scrollback });

function apply(terminal: Terminal, step: Step): void {
  if (step === 'end frame') terminal.endFrame();
  else if (step instanceof Uint8Array) terminal.feed(step);
  else terminal.resize(step);
}

/** Saves lines like a saver: what is new, and again what a resize moved back to the screen. */
class LineSaver {
  readonly #maxBytes: number;
  #revision = 0;
  lines: SavedLines[] = [];

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  save(terminal: Terminal): void {
    const returned = terminal.returnedFrom(this.#revision);
    this.lines = this.lines.filter(({ from }) => from < returned);
    const last = this.lines.at(-1);
    if (last !== undefined && last.to > returned) {
      this.lines.pop();
      this.#append(terminal, last.from);
    }
    this.#append(terminal, this.lines.at(-1)?.to ?? 0);
    this.#revision = terminal.revision;
  }

  #append(terminal: Terminal, from: number): void {
    for (let next = from; ; ) {
      const lines = saveLines(terminal, next, terminal.linesEnd, this.#maxBytes);
      if (lines.to === lines.from) return;
      this.lines.push(lines);
      next = lines.to;
    }
  }
}

const overTheWire = (saved: SavedTerminal): SavedTerminal => ({
  ...saved,
  watch: JSON.parse(JSON.stringify(saved.watch)),
});

/** Everything that readers can ask. */
function answers(terminal: Terminal): unknown {
  const { revision, size, firstLine, topLine, endLine, frameOpen } = terminal;
  const revisions = Array.from({ length: revision + 2 }, (_, index) => index - 1);
  const lines = Array.from({ length: size.rows + 2 }, (_, index) => topLine - 1 + index);
  return {
    revision,
    size,
    firstLine,
    topLine,
    endLine,
    frameOpen,
    shownRevision: terminal.shownRevision,
    linesEnd: terminal.linesEnd,
    title: terminal.title,
    alternate: terminal.alternate,
    cursor: terminal.cursor,
    viewModes: terminal.viewModes,
    position: terminal.position,
    linePosition: terminal.linePosition(),
    screen: terminal.screenText(),
    cells: terminal.screenCells().rows,
    rows: terminal.scrollbackRows(),
    lines: [...terminal.readLines(0, Number.POSITIVE_INFINITY)].map(({ line, reader }) => [
      line,
      reader.ansi(),
    ]),
    textBytes: terminal.textBytes(firstLine, endLine),
    pushedRows: stateOf(terminal).scrollback.pushedRows,
    lastClear: terminal.lastClear,
    since: revisions.map((since) => ({
      since,
      changed: terminal.changedRows(since),
      rewritten: terminal.rewrittenFrom(since),
      cleared: terminal.clearedFrom(since),
      returned: terminal.returnedFrom(since),
      printed: lines.filter((line) => terminal.printedAfter(line, since)),
    })),
  };
}

/** What a step did, for those who observe the terminal. */
function effects(terminal: Terminal): unknown {
  return {
    printed: [...terminal.printedText()],
    events: terminal.takeEvents(),
    replies: String(terminal.takeReplies()),
    rewrites: stateOf(terminal).rewrites.save(),
  };
}

function expectSame(actual: Terminal, expected: Terminal): void {
  expectSameTerminal(actual, expected);
  expectEqual(answers(actual), answers(expected));
}

/** Saves after the first steps, restores, and applies the others to both. */
function expectContinues(size: Size, before: Step[], after: Step[], maxBytes: number): void {
  const terminal = new Terminal(options(size));
  const saver = new LineSaver(maxBytes);
  for (const [index, step] of before.entries()) {
    apply(terminal, step);
    if (index % 3 === 0) saver.save(terminal);
  }
  effects(terminal);
  saver.save(terminal);
  const { terminal: copy, exactly } = restoreTerminal(
    options(terminal.size),
    overTheWire(saveTerminal(terminal)),
    saver.lines,
  );
  expect(exactly).toBe(true);
  expect(verify(copy)).toEqual([]);
  expectSame(copy, terminal);
  for (const step of after) {
    const { revision } = terminal;
    apply(copy, step);
    apply(terminal, step);
    // Before the first feed, it lacks lines that have left the screen.
    if (terminal.revision > revision) expectEqual(effects(copy), effects(terminal));
    expectSame(copy, terminal);
  }
}

const step: fc.Arbitrary<Step> = fc
  .oneof(
    { weight: 8, arbitrary: output },
    {
      weight: 2,
      arbitrary: fc.constantFrom('a\r\nb\r\n', '\x1b[?2026h', '\x1b[?2026l', '\n\n\n\n'),
    },
    { weight: 2, arbitrary: screenSize },
    { weight: 1, arbitrary: fc.constant('end frame' as const) },
  )
  .map((value) =>
    typeof value === 'string' && value !== 'end frame' ? Buffer.from(value) : value,
  );
const steps = fc.array(step, { maxLength: 5 });

describe('a terminal that was saved', () => {
  it('[law 10] continues like one that was not, for each reader', () => {
    const maxBytes = fc.constantFrom(1, 40, Number.POSITIVE_INFINITY);
    const property = fc.property(screenSize, steps, steps, maxBytes, expectContinues);
    fc.assert(property, runs(250));
  });

  it('[law 10] continues like one that was not, with the output of programs', () => {
    const size = { cols: 80, rows: 24 };
    for (const { bytes } of readRecordings()) {
      const feeds = [...chunkings['as a pseudo-terminal delivers it'](bytes.subarray(0, 100_000))];
      for (const at of [1, Math.floor(feeds.length / 2)]) {
        const steps = feeds.flatMap((feed) => [feed.subarray(0, 1999), feed.subarray(1999)]);
        expectContinues(size, steps.slice(0, at * 2 - 1), steps.slice(at * 2 - 1), 4096);
      }
    }
  });

  it.each([5, 0])(
    '[law 10] has the lines of an open frame, with a scrollback of %i lines',
    (maxLines) => {
      const limits = { size: { cols: 4, rows: 3 }, scrollback: { ...scrollback, maxLines } };
      const terminal = new Terminal(limits);
      terminal.feed(Buffer.from('a line that wraps and continues\x1b[?2026h'));
      for (let line = 0; line < 20; line++) terminal.feed(Buffer.from(`\r\n${line}`));
      const { terminal: copy } = restoreTerminal(limits, overTheWire(saveTerminal(terminal)), [
        saveLines(terminal, 0),
      ]);
      expect(copy.frameOpen).toBe(true);
      expectSame(copy, terminal);
      for (const each of [copy, terminal]) each.feed(Buffer.from('\x1b[?2026l'));
      expect(effects(copy)).toEqual(effects(terminal));
      expectSame(copy, terminal);
    },
  );

  it('[law 10] has the same lines, also if they are longer than the columns for which they are saved', () => {
    const piece = fc.constantFrom(
      ...['abcdefg', '漢', 'é', 'e\u0301', '👩‍👩‍👧', '🇩\u200d', '│', '😀', '\t', '\x1b[3C'],
      ...['\x1b[31m', '\x1b[48;2;1;2;3m', '\x1b[m', '\x1b[1"q', '\x1b]8;;http://a.example\x1b\\'],
    );
    const part = fc.tuple(piece, fc.integer({ min: 1, max: 700 }));
    const line = fc.array(part, { minLength: 1, maxLength: 6 });
    const cols = fc.constantFrom(1, 2, 3, 80, 513, 1000);
    const property = fc.property(cols, fc.array(line, { maxLength: 4 }), (cols, lines) => {
      const size = { cols, rows: 2 };
      const terminal = new Terminal(options(size));
      for (const parts of lines) {
        const text = parts.map(([each, count]) => each.repeat(count)).join('');
        terminal.feed(Buffer.from(`${text}\r\n`));
      }
      const saved = saveLines(terminal, 0);
      const { terminal: copy, exactly } = restoreTerminal(options(size), saveTerminal(terminal), [
        saved,
      ]);
      expect(exactly).toBe(true);
      expectSameTerminal(copy, terminal);
      copy.resize({ cols: 7, rows: 3 });
      terminal.resize({ cols: 7, rows: 3 });
      expectSameTerminal(copy, terminal);
      const { dump, firstLine } = terminal.snapshot();
      const dumped = new Terminal({ ...options(terminal.size), firstLine });
      dumped.feed(dump);
      expectSameTerminal(dumped, terminal);
    });
    fc.assert(property, runs(20));
  });

  it('[law 10] has the same lines where plain ones are between others', () => {
    const size = { cols: 80, rows: 2 };
    const limits = { size, scrollback: { ...scrollback, maxLines: 1000 } };
    const terminal = new Terminal(limits);
    const others = [
      '\x1b[31mred\x1b[m',
      'a\tb',
      'plain \x1b[1mbold',
      '漢 👩‍👩‍👧',
      '-'.repeat(1100),
      '',
    ];
    for (let line = 0; line < 600; line++) {
      const other = line % 70 === 3 ? others[Math.floor(line / 70) % others.length] : undefined;
      terminal.feed(Buffer.from(`\x1b[m${other ?? `line ${line}`}\r\n`));
    }
    const saved = saveLines(terminal, 0);
    const { terminal: copy, exactly } = restoreTerminal(limits, saveTerminal(terminal), [saved]);
    expect(exactly).toBe(true);
    expectSameTerminal(copy, terminal);
    const texts = [...terminal.readLines(0, terminal.linesEnd)].map(({ reader }) => reader.text());
    const bytes = texts.map((text) => Buffer.byteLength(text) + 1);
    for (const [from, to] of [
      [0, 3],
      [2, 80],
      [0, texts.length],
    ] as const) {
      const sum = bytes.slice(from, to).reduce((all, each) => all + each, 0);
      expect(terminal.textBytes(from, to)).toBe(sum);
    }
  });

  it('is restored from damaged parts, too, and says so', () => {
    const property = fc.property(screenSize, steps, output, fc.nat(), (size, list, more, seed) => {
      const terminal = new Terminal(options(size));
      for (const each of list) apply(terminal, each);
      const saved = saveTerminal(terminal);
      const lines = saveLines(terminal, 0);
      const damaged = restoreTerminal(
        options(terminal.size),
        { ...saved, watch: damage(JSON.parse(JSON.stringify(saved.watch)), seed) },
        [lines],
      );
      const lost = restoreTerminal(options(terminal.size), { ...saved, watch: null }, [lines]);
      expect(lost.exactly).toBe(false);
      expectSameTerminal(lost.terminal, terminal);
      expect(lost.terminal.revision).toBe(terminal.revision + 1);
      const everyRow = Array.from({ length: terminal.size.rows }, (_, row) => row);
      expect(lost.terminal.changedRows(terminal.revision)).toEqual(everyRow);
      expect(lost.terminal.changedRows(lost.terminal.revision)).toEqual([]);
      for (const { terminal: copy } of [damaged, lost]) {
        copy.feed(more);
        expect(verify(copy)).toEqual([]);
        inspect(copy);
        copy.linePosition();
        for (const { reader } of copy.readLines(0, 1e9)) reader.ansi();
      }
    });
    fc.assert(property, runs(150));
  });

  it('is restored without lines that are missing, under the same numbers', () => {
    const size = { cols: 20, rows: 3 };
    const terminal = new Terminal(options(size));
    for (let line = 0; line < 30; line++) terminal.feed(Buffer.from(`line ${line}\r\n`));
    const saved = saveTerminal(terminal);
    const pieces = [
      [0, 10],
      [10, 20],
      [20, 28],
    ].map(([from, to]) => saveLines(terminal, from, to));
    const restored = (lines: SavedLines[]) => {
      const { terminal: copy, exactly } = restoreTerminal(options(size), saved, lines);
      expect(copy.screenText()).toEqual(terminal.screenText());
      const [first] = [...copy.readLines(0, 100)].map(({ line, reader }) => [line, reader.text()]);
      return [exactly, ...first];
    };
    const [one, two, three] = pieces;
    const wrong = { ...two, to: two.to + 1 };
    expect(restored([one, two, three])).toEqual([true, 0, 'line 0']);
    expect(restored([two, three])).toEqual([false, 10, 'line 10']);
    expect(restored([one, three])).toEqual([false, 20, 'line 20']);
    expect(restored([one, wrong, three])).toEqual([false, 20, 'line 20']);
    expect(restored([one, two])).toEqual([false, 28, 'line 28']);
    expect(restored([])).toEqual([false, 28, 'line 28']);
  });

  it('returns the lines that fit', () => {
    const terminal = new Terminal(options({ cols: 20, rows: 3 }));
    for (let line = 10; line < 30; line++) terminal.feed(Buffer.from(`line ${line}\r\n`));
    expect(terminal.linesEnd).toBe(18);
    expect(saveLines(terminal, 4, 6)).toEqual({
      from: 4,
      to: 6,
      bytes: new Uint8Array(Buffer.from('line 14\r\nline 15\r\n')),
    });
    expect(saveLines(terminal, 4, 18, 10)).toMatchObject({ from: 4, to: 6 });
    expect(saveLines(terminal, 4, 18, 9)).toMatchObject({ from: 4, to: 5 });
    expect(saveLines(terminal, 16, 100)).toMatchObject({ from: 16, to: 18 });
    expect(saveLines(terminal, 18)).toMatchObject({ from: 18, to: 18 });
    expect(saveLines(terminal, 30)).toMatchObject({ from: 18, to: 18 });
  });
});

/** Replaces one value somewhere in a JSON value. */
function damage(value: unknown, seed: number): unknown {
  const wrong = [null, -1, 1e9, 0.5, 'x', [], {}, true][seed % 8];
  if (typeof value !== 'object' || value === null || seed % 3 === 0) return wrong;
  const keys = Object.keys(value);
  if (keys.length === 0) return wrong;
  const key = keys[(seed >> 3) % keys.length] ?? '';
  const copy: Record<string, unknown> = Array.isArray(value) ? ([...value] as never) : { ...value };
  copy[key] = damage(copy[key], seed >> 4);
  return copy;
}
