import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeUtf8 } from '#base';
import { Terminal } from '#vt';
import { stateOf } from '#vt/checks';
import { runs } from '../../../test/support/run/runs.ts';
import { output, screenSize } from '../../../test/support/vt/terminal-output.ts';

const size = { cols: 20, rows: 4 };
const setClipboard = encodeUtf8('\x1b]52;c;aGk=\x07');

describe('events from output', () => {
  it('[law 2] have the same positions however output is split into chunks', () => {
    const property = fc.property(screenSize, output, fc.nat(), (screen, bytes, place) => {
      const at = place % (bytes.length + 1);
      const said = [[bytes], [bytes.subarray(0, at), bytes.subarray(at)]].map((chunks) => {
        const terminal = new Terminal({ size: screen });
        return chunks.flatMap((chunk) => {
          terminal.feed(chunk);
          return terminal.takeEvents().filter((event) => 'position' in event);
        });
      });
      expect(said[1]).toEqual(said[0]);
    });
    fc.assert(property, runs(500));
  });

  it('have the positions that the session reports for its output', () => {
    const terminal = new Terminal({ size });
    terminal.feed(encodeUtf8('ab\x1b]1337;Set'), 1000);
    terminal.feed(encodeUtf8('Mark\x07\x1b]1337;SetMark\x07'));
    const positions = terminal.takeEvents().map((event) => 'position' in event && event.position);
    expect(positions).toMatchObject([{ offset: 1002 }, { offset: 1017 }]);
  });

  it('are positioned after the last cell of a full row', () => {
    const terminal = new Terminal({ size: { cols: 4, rows: 2 } });
    terminal.feed(encodeUtf8('abcd\x1b]133;D\x07e\x1b]133;A\x07'));
    const positions = terminal.takeEvents().map((event) => 'position' in event && event.position);
    expect(positions).toMatchObject([
      { line: 0, col: 4 },
      { line: 0, col: 5 },
    ]);
  });

  it.each([
    ['0', 'nothing'],
    ['1', 'all'],
    ['last', 'last_line'],
    ['2', undefined],
    ['constructor', undefined],
    ['__proto__', undefined],
  ])('tell with redraw=%s how much of its prompt a shell draws again', (value, redraws) => {
    const terminal = new Terminal({ size });
    terminal.feed(encodeUtf8(`\x1b]133;A;redraw=${value}\x07`));
    const [mark] = terminal.takeEvents();
    expect(mark?.type === 'mark' && mark.redraws).toBe(redraws);
  });

  it('are kept until they are taken once, up to a limit', () => {
    const terminal = new Terminal({ size });
    for (let fed = 0; fed < 10; fed++) terminal.feed(encodeUtf8('\x1b]133;A\x07'.repeat(1000)));
    expect(terminal.takeEvents()).toHaveLength(4096);
    expect(stateOf(terminal).events.dropped).toBe(10_000 - 4096);
    expect(terminal.takeEvents()).toEqual([]);
  });

  it('do not include clipboard requests unless they are allowed', () => {
    const terminals = [{ size }, { size, allowClipboard: true }].map((each) => new Terminal(each));
    for (const terminal of terminals) terminal.feed(setClipboard);
    expect(terminals.map((terminal) => terminal.takeEvents().length)).toEqual([0, 1]);
  });

  it('have bounded length', () => {
    const terminal = new Terminal({ size });
    const long = 'x'.repeat(50_000);
    terminal.feed(encodeUtf8(`\x1b]777;notify;${long};${long.slice(1000)}\x07`));
    terminal.feed(encodeUtf8(`\x1b]777;notify;${long.slice(30_000)};${long.slice(20_000)}\x07`));
    terminal.feed(encodeUtf8(`\x1b]633;E;${long}\x07\x1b]7;file:///${long}\x07`));
    const [notified, typed, ...others] = terminal.takeEvents();
    expect(notified).toMatchObject({ title: 'x'.repeat(256), body: 'x'.repeat(4096) });
    expect(typed).toMatchObject({ commandLine: 'x'.repeat(16_384) });
    expect(others).toEqual([]);
  });
});
