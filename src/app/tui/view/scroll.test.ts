import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeUtf8 } from '#base';
import { Terminal } from '#vt';
import { runs } from '../../../../test/support/run/runs.ts';
import { ViewedSession } from '../../../../test/support/tui/viewed-session.ts';

/** Lines as programs print them: empty, short, wrapped, and with wide characters at every column. */
const arbitraryLine = fc.oneof(
  fc.constantFrom(
    '',
    'x',
    '漢字かな交じり文',
    'a漢字かな交じり文',
    'error: no such file',
    '    indented',
  ),
  fc.stringMatching(/^[a-z ]{0,60}[a-z]$/),
  fc
    .array(fc.constantFrom('a', 'b', ' ', '漢', '😀', 'e\u0301'), { maxLength: 50 })
    .map((all) => `${all.join('')}.`),
);
/** The last one is not empty: empty rows below the text do not count as lines. */
const arbitraryLines = fc
  .array(arbitraryLine, { maxLength: 120 })
  .map((lines) => [...lines, 'end']);
const arbitrarySize = fc.record({
  cols: fc.integer({ min: 2, max: 40 }),
  rows: fc.integer({ min: 2, max: 15 }),
});

const printed = (lines: readonly string[]) => lines.map((line) => `${line}\r\n`).join('');

/** Returns the rows that lines take in a terminal, by the engine. */
function wrapped(lines: readonly string[], cols: number): string[] {
  const terminal = new Terminal({ size: { cols, rows: 1000 } });
  terminal.feed(encodeUtf8(lines.join('\r\n')));
  const rows = [...terminal.scrollbackRows(), ...terminal.screenText()];
  return rows.slice(0, rows.length - 1000 + terminal.cursor.row + 1);
}

const body = (session: ViewedSession) => session.rows().slice(0, -1);

describe('scrolling', () => {
  it('shows exactly the lines that were asked for, wrapped as the engine wraps them', async () => {
    await fc.assert(
      fc.asyncProperty(
        arbitraryLines,
        arbitrarySize,
        arbitrarySize,
        fc.nat(),
        async (lines, size, window, at) => {
          const session = new ViewedSession({ size, window, earlier: printed(lines) });
          const line = at % lines.length;
          session.act({ type: 'goTo', line: 0 });
          await session.settle();
          session.act({ type: 'goTo', line });
          await session.settle();
          const { scroll } = session.state;
          const { top, cursor } = scroll ?? expect.fail();
          expect(cursor.line).toBe(line);
          const above = wrapped(lines.slice(0, top.line), window.cols);
          const rows = wrapped(lines, window.cols).slice(
            (top.line === 0 ? 0 : above.length) + top.row,
          );
          const shown = body(session);
          expect(shown).toEqual([
            ...rows.slice(0, shown.length),
            ...Array(Math.max(0, shown.length - rows.length)).fill(''),
          ]);
          expect(top.line).toBeLessThanOrEqual(line);
        },
      ),
      runs(60),
    );
  });

  it('scrolls back by pages to the first line and forth to the last, without a gap', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryLines, arbitrarySize, async (lines, size) => {
        const session = new ViewedSession({ size, window: size, earlier: printed(lines) });
        const all = wrapped(lines, size.cols);
        await session.press('ctrl+b', 'pageup');
        const screens: string[][] = [];
        for (let pages = 0; pages <= all.length; pages++) {
          screens.push(body(session));
          await session.press('pageup');
        }
        const height = size.rows - 1;
        const expected = all.slice(0, height);
        expect(screens.at(-1)).toEqual([...expected, ...Array(height - expected.length).fill('')]);
        await session.press('G');
        const end = body(session).join('\n').trimEnd();
        expect(`\n${all.join('\n')}`.trimEnd().endsWith(end)).toBe(true);
      }),
      runs(30),
    );
  });

  it('does not move while output arrives', async () => {
    await fc.assert(
      fc.asyncProperty(
        arbitraryLines,
        arbitraryLines,
        arbitrarySize,
        fc.nat({ max: 9 }),
        async (lines, more, size, up) => {
          const session = new ViewedSession({ size, window: size, earlier: printed(lines) });
          await session.press('ctrl+b', '[', ...Array(up).fill('pageup'));
          const before = session.picture();
          session.print(printed(more));
          await session.settle();
          const after = session.picture(before);
          expect(body(session)).toEqual(
            before.rows.slice(0, -1).map((row) =>
              row
                .map(({ text }) => text)
                .join('')
                .trimEnd(),
            ),
          );
          after.rows.slice(0, -1).forEach((row, at) => {
            expect(row).toBe(before.rows[at]);
          });
        },
      ),
      runs(60),
    );
  });

  it('shows the screen as it was when it begins', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryLines, arbitrarySize, async (lines, size) => {
        const session = new ViewedSession({ size, window: size, earlier: `${printed(lines)}$ ` });
        const live = session.rows();
        await session.press('ctrl+b', '[');
        expect(body(session)).toEqual(live.slice(0, -1));
      }),
      runs(60),
    );
  });

  it('keeps the lines that are seen when the session drops them', async () => {
    const numbered = (from: number) =>
      printed(Array.from({ length: 2000 }, (_, at) => `line ${from + at}`));
    const session = new ViewedSession({ earlier: numbered(0), maxLines: 2000 });
    await session.press('ctrl+b', '[', 'g', 'pagedown', 'pagedown');
    const lines = body(session);
    session.print(numbered(2000));
    await session.press(...Array(10).fill('pagedown'), ...Array(10).fill('pageup'));
    expect(body(session)).toEqual(lines);
    await session.press('pageup', 'pageup', 'pageup');
    expect(body(session)[0]).toBe('line 0');
    await session.press('G', 'g');
    expect(body(session)[0]).toBe('line 1977');
  });

  it('counts the lines that are new', async () => {
    const session = new ViewedSession({ earlier: printed(Array(100).fill('old')) });
    await session.press('ctrl+b', '[');
    session.print(printed(Array(312).fill('new')));
    expect(session.rows().at(-1)).toContain('lines 78-100 of 100  ▼ 312 new lines');
    await session.press('G');
    expect(session.rows().at(-1)).toContain('lines 390-412 of 412');
    expect(session.rows().at(-1)).not.toContain('new line');
  });
});
