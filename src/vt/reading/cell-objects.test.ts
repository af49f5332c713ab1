import { describe, expect, it } from 'vitest';
import { encodeUtf8 } from '#base';
import type { Cell } from '#model';
import { Terminal } from '#vt';

const cols = 12;

/** Returns the cells of the first row after two other reads, so that shared cells are used. */
function cellsOf(output: string): Cell[] {
  const terminal = new Terminal({ size: { cols, rows: 1 } });
  terminal.feed(encodeUtf8(output));
  for (let read = 0; read < 2; read++) terminal.readRow(0).cells();
  return terminal.readRow(0).cells();
}

describe('cells read from a terminal', () => {
  it('are shared, frozen objects if they are equal', () => {
    const [first, second] = [cellsOf('aba\x1b[31mab'), cellsOf('\x1b[31mab\x1b[mb')];
    expect(first[0]).toBe(first[2]);
    expect(first[1]).toEqual(second[2]);
    expect(first[0]?.style).not.toEqual(first[3]?.style);
    expect(Object.isFrozen(first[0])).toBe(true);
  });

  it('have the right style, however many styles there are', () => {
    const terminals = Array.from({ length: 200 }, (_, red) => ({ red, terminal: painted(red) }));
    for (let read = 0; read < 3; read++) {
      for (const { red, terminal } of terminals) {
        const looks = terminal
          .readRow(0)
          .cells()
          .map(({ text, style }) => [text, style.bg]);
        const color = `#${red.toString(16).padStart(2, '0')}0102`;
        expect(looks).toEqual([
          ['x', color],
          [' ', 3],
        ]);
      }
    }
  });
});

function painted(red: number): Terminal {
  const terminal = new Terminal({ size: { cols: 2, rows: 1 } });
  terminal.feed(encodeUtf8(`\x1b[48;2;${red};1;2mx\x1b[43m \x1b[m`));
  return terminal;
}
