import { expect, it } from 'vitest';
import { Terminal } from '#vt';
import { highlightsOf } from './highlights.ts';

const esc = '\u001b';

function highlightsAfter(output: string) {
  const terminal = new Terminal({ size: { cols: 20, rows: 6 } });
  terminal.feed(Buffer.from(output));
  return highlightsOf(terminal.screenCells().rows);
}

it.each([
  ['nothing', 'plain\r\ntext', []],
  ['a reversed row', `one\r\n${esc}[7m two  ${esc}[m\r\nthree`, [{ row: 2, text: 'two' }]],
  [
    'a background of its own',
    `one\r\n${esc}[44m> two${esc}[m\r\nthree`,
    [{ row: 2, text: '> two' }],
  ],
  [
    'two runs of a row',
    `a ${esc}[7mfoo${esc}[m b ${esc}[7mfoo${esc}[m c`,
    [{ row: 1, text: 'foo  foo' }],
  ],
  ['blanks', `${esc}[7m     ${esc}[m`, []],
  [
    'a selection in a window with a background',
    `${esc}[44m${esc}[2J${esc}[Hone\r\n${esc}[47mtwo${esc}[44m\r\nthree`,
    [{ row: 2, text: 'two' }],
  ],
  [
    'a large window, which is none',
    `${esc}[47m${' '.repeat(18)}\r\none${' '.repeat(15)}\r\n${' '.repeat(18)}${esc}[m`,
    [],
  ],
  ['wide characters', `${esc}[7m漢字${esc}[m`, [{ row: 1, text: '漢字' }]],
])('finds %s', (_what, output, expected) => {
  expect(highlightsAfter(output)).toEqual(expected);
});

it('is bounded', () => {
  const terminal = new Terminal({ size: { cols: 1000, rows: 40 } });
  for (let row = 1; row <= 18; row++) {
    terminal.feed(Buffer.from(`${esc}[${row};1H${esc}[7m${'x'.repeat(900)}${esc}[m`));
  }
  const found = highlightsOf(terminal.screenCells().rows);
  expect(found).toHaveLength(10);
  expect(found[0]?.text).toHaveLength(200);
});
