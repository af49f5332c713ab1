import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeUtf8 } from '#base';
import { Terminal } from '#vt';
import { onDroppedLines, reportDroppedLines } from '#vt/saving';
import { runs } from '../../../test/support/run/runs.ts';
import { fakeSession } from '../../../test/support/session/fake-session.ts';
import { MemoryArchive } from '../../../test/support/session/memory-archive.ts';
import { TerminalLines } from '../terminal-reader.ts';
import { ArchivedTerminal } from './archived-terminal.ts';

/** A terminal that keeps `maxLines`, and one that keeps all. */
function both(maxLines: number) {
  const size = { cols: 40, rows: 5 };
  const maxBytes = Number.POSITIVE_INFINITY;
  const whole = new Terminal({ size, scrollback: { maxLines: 1_000_000, maxBytes } });
  const few = new Terminal({ size, scrollback: { maxLines, maxBytes } });
  const archive = new MemoryArchive();
  onDroppedLines(
    few,
    (lines, textBytes) => archive.add(lines, textBytes),
    () => archive.erase(),
  );
  const feed = (text: string) => {
    for (const each of [whole, few]) each.feed(encodeUtf8(text));
  };
  const lines = (terminal: ConstructorParameters<typeof TerminalLines>[0]) =>
    new TerminalLines(terminal);
  return {
    whole: lines(whole),
    archived: lines(new ArchivedTerminal(few, archive)),
    few,
    feed,
    archive,
  };
}

const line = fc.oneof(
  fc.integer({ min: 0, max: 99_999 }).map(String),
  fc.constantFrom(
    '',
    'a\tb',
    '\x1b[1;31mred\x1b[m',
    '字字字',
    'é',
    '👩‍👩‍👧',
    'x'.repeat(90),
    `${'y'.repeat(3000)}`,
    '\x1b[4:3;58:2::1:2:3mcurly\x1b[m \x1b[48;2;1;2;3mwide 漢\x1b[m',
    '\x1b]8;;https://a.example/\x1b\\one\x1b]8;;\x1b\\ \x1b]8;id=b;https://b.example/\x1b\\two\x1b]8;;\x1b\\',
    '\x1b[7m\x1b[K\x1b[m',
  ),
);

describe('lines that a scrollback has dropped', () => {
  it('are read as if it had kept them, in each format', () => {
    const output = fc.array(line, { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(output, fc.constantFrom(0, 3, 50), fc.nat(), (texts, maxLines, place) => {
        const { whole, archived, feed } = both(maxLines);
        // Several pages.
        for (let count = 0; count < 6_000; count += texts.length) {
          feed(texts.map((text) => `${text}\r\n`).join(''));
        }
        expect(archived.terminal.firstLine).toBe(0);
        expect(archived.terminal.endLine).toBe(whole.terminal.endLine);
        const from = place % whole.terminal.endLine;
        for (const format of ['text', 'spaced', 'ansi'] as const) {
          expect([...archived.lineTexts(from, from + 500, format)]).toEqual([
            ...whole.lineTexts(from, from + 500, format),
          ]);
        }
        for (const to of [from + 1, from + 777, 1e9]) {
          expect(archived.terminal.textBytes(from, to)).toBe(whole.terminal.textBytes(from, to));
        }
        const find = (bytes: Uint8Array, start: number, end: number) => {
          const at = bytes.indexOf(0x39, start);
          return at < end ? at : -1;
        };
        const scan = ({ terminal }: TerminalLines) => {
          const lines: number[] = [];
          for (let at = from; at < terminal.endLine && lines.length < 50; ) {
            const { line, mayMatch } = terminal.scanLines(at, terminal.endLine, find);
            if (mayMatch) lines.push(line);
            at = mayMatch ? line + 1 : line;
          }
          return lines;
        };
        // Lines of the screen may be reported although they do not match.
        const end = whole.terminal.endLine - 5;
        const above = (lines: number[]) => lines.filter((each) => each < end);
        expect(above(scan(archived))).toEqual(above(scan(whole)));
      }),
      runs(20),
    );
  });

  it('are in the archive before a state is saved, which lacks them', () => {
    const { few, archived, feed, archive } = both(10);
    for (let count = 0; count < 5; count++) {
      feed('line\r\n'.repeat(777));
      reportDroppedLines(few);
      expect(archive.endLine).toBe(few.firstLine);
    }
    expect(archive.blocks[0]?.from).toBe(0);
    const { endLine } = archived.terminal;
    expect([...archived.lineTexts(0, endLine - 1, 'text')]).toHaveLength(endLine - 1);
  });

  it('are written before a state is taken, which lacks them', () => {
    const archive = new MemoryArchive();
    const size = { cols: 20, rows: 4 };
    const terminal = new Terminal({ size, scrollback: { maxLines: 10, maxBytes: 1e6 } });
    const { session, pty } = fakeSession({}, terminal, { isSaved: true, archive });
    for (let count = 0; count < 3; count++) {
      pty.output('line\r\n'.repeat(777));
      session.saving?.state();
      expect(archive.flushedTo).toBe(terminal.firstLine);
    }
    expect(archive.flushedTo).toBeGreaterThan(2000);
  });

  it('are left out where another version of vtr has packed them', () => {
    const { archived, feed, archive } = both(10);
    feed('line\r\n'.repeat(20_000));
    const [first] = archive.blocks;
    first?.bytes.fill(0xff, 0, 4);
    const next = archived.lineTexts(0, archived.terminal.endLine, 'text').next().value;
    expect(next?.line).toBe(first?.to);
    const none = () => -1;
    expect(archived.terminal.scanLines(0, 5, none)).toMatchObject({ unreadable: true });
  });

  it('are gone when the program erases the scrollback', () => {
    const { archived, feed, archive } = both(10);
    for (let count = 0; count < 20; count++) feed('line\r\n'.repeat(1_000));
    expect(archive.endLine).toBeGreaterThan(0);
    feed('\x1b[3Jmore\r\n');
    expect([archive.blocks, archived.terminal.firstLine]).toEqual([[], 19_996]);
  });
});
