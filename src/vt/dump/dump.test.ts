import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Size } from '#model';
import { inspect, stateOf } from '#vt/checks';
import { runs } from '../../../test/support/run/runs.ts';
import { expectSameTerminal } from '../../../test/support/vt/same-terminal.ts';
import { output, screenSize } from '../../../test/support/vt/terminal-output.ts';
import { Terminal } from '../terminal.ts';
import type { Snapshot } from './dump.ts';

const scrollback = { maxLines: 50, maxBytes: 1 << 20 };

function fed(size: Size, bytes: Uint8Array, firstLine = 0): Terminal {
  const terminal = new Terminal({ size, scrollback, firstLine });
  terminal.feed(bytes);
  return terminal;
}

const numbered = (from: number, to: number) =>
  Buffer.from(Array.from({ length: to - from }, (_, index) => `line ${from + index}\r\n`).join(''));

const copyOf = (terminal: Terminal, { dump, firstLine }: Snapshot) =>
  fed(terminal.size, dump, firstLine);

/** Expects that the copy is equal, except that older lines are missing. */
function expectLastLines(copy: Terminal, terminal: Terminal, count: number): void {
  const [all, last] = [terminal, copy].map((each) => inspect(each)['scrollback'] as Scrollback);
  const first = Math.max(stateOf(terminal).scrollback.firstLine, terminal.linesEnd - count);
  expect(last).toEqual({ ...all, lines: all.lines.filter(([line]) => line >= first) });
  expect({ ...inspect(copy), scrollback: null }).toEqual({
    ...inspect(terminal),
    scrollback: null,
  });
}

type Scrollback = { lines: [line: number, ...cells: unknown[]][] };

describe('a dump in slices', () => {
  it('[law 1] restores the terminal of its last slice, whatever happens between them', () => {
    const step = fc.oneof(
      { weight: 3, arbitrary: output },
      { weight: 1, arbitrary: screenSize },
      { weight: 1, arbitrary: fc.constantFrom(numbered(0, 3), numbered(3, 40)) },
    );
    const steps = fc.array(step, { maxLength: 6 });
    const limit = fc.constantFrom(0, 1, 3, 7, Number.POSITIVE_INFINITY);
    const bytes = fc.constantFrom(1, 30, 200);
    const first = fc.tuple(screenSize, output, fc.boolean());
    const property = fc.property(
      first,
      steps,
      limit,
      bytes,
      ([size, begun, isLong], changes, scrollbackLines, sliceBytes) => {
        const terminal = fed(size, isLong ? numbered(0, 30) : begun);
        const dumping = terminal.dumping({ scrollbackLines, sliceBytes });
        let snapshot = dumping.next();
        for (const change of changes) {
          if (snapshot !== null) break;
          if (change instanceof Uint8Array) terminal.feed(change);
          else terminal.resize(change);
          snapshot = dumping.next();
        }
        while (snapshot === null) snapshot = dumping.next();
        expectLastLines(copyOf(terminal, snapshot), terminal, scrollbackLines);
      },
    );
    fc.assert(property, runs(400));
  });

  it('ends, even if each slice is followed by more lines than it has', () => {
    const terminal = fed({ cols: 20, rows: 2 }, numbered(0, 40));
    const dumping = terminal.dumping({ sliceBytes: 1 });
    let slices = 1;
    let snapshot = dumping.next();
    for (; snapshot === null; snapshot = dumping.next()) {
      terminal.feed(numbered(0, 3));
      slices++;
    }
    expect(slices).toBeLessThan(20);
    expectSameTerminal(copyOf(terminal, snapshot), terminal);
  });

  it('has the lines that a resize moved back to the screen and away again', () => {
    const terminal = fed({ cols: 20, rows: 24 }, numbered(0, 30));
    const dumping = terminal.dumping({ scrollbackLines: 7, sliceBytes: 1 });
    let snapshot = dumping.next();
    for (const rows of [1, 2]) {
      terminal.resize({ cols: 20, rows });
      snapshot = dumping.next();
    }
    while (snapshot === null) snapshot = dumping.next();
    expect(snapshot.firstLine).toBe(22);
    expect(copyOf(terminal, snapshot).scrollbackRows()[0]).toBe('line 22');
  });

  it('has what was printed on dumped lines that were on the screen in between', () => {
    const terminal = fed({ cols: 20, rows: 2 }, numbered(0, 10));
    const dumping = terminal.dumping({ scrollbackLines: 2, sliceBytes: 1 });
    let snapshot = dumping.next();
    terminal.resize({ cols: 20, rows: 5 });
    terminal.feed(Buffer.from('\x1b[2;1Hnew\x1b[5;1H'));
    terminal.resize({ cols: 20, rows: 2 });
    while (snapshot === null) snapshot = dumping.next();
    expect(copyOf(terminal, snapshot).scrollbackRows()).toEqual(['newe 7', 'line 8']);
  });

  it('has only the last lines above the screen if requested', () => {
    const terminal = fed({ cols: 20, rows: 2 }, numbered(0, 10));
    const { dump, firstLine } = terminal.snapshot({ scrollbackLines: 2 });
    expect(firstLine).toBe(7);
    const copy = fed({ cols: 20, rows: 2 }, dump, firstLine);
    expect(copy.scrollbackRows()).toEqual(['line 7', 'line 8']);
    expect(copy.screenText()).toEqual(['line 9', '']);
    expect(terminal.snapshot({ scrollbackLines: 0 }).firstLine).toBe(9);
    expect(terminal.snapshot().dump).toEqual(terminal.dump());
  });
});
