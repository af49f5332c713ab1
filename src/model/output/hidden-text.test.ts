import { describe, expect, it } from 'vitest';
import { hidesText, withoutStyles } from './hidden-text.ts';

const esc = '\u001b';

describe('hidesText', () => {
  it.each([
    ['plain', false],
    [`${esc}[0;8mgone${esc}[m`, true],
    [`${esc}[0;1;8;31mgone${esc}[m`, true],
    [`${esc}[0;8m   ${esc}[mthere`, false],
    [`${esc}[0;31;41mgone${esc}[m`, true],
    [`${esc}[0;32;42m[${esc}[0;30;42mMain${esc}[0;32;42m]${esc}[m`, false],
    [`${esc}[0;31;42mthere${esc}[m`, false],
    [`${esc}[0;91;41mthere${esc}[m`, false],
    [`${esc}[0;97;107mgone${esc}[m`, true],
    [`${esc}[0;38;5;8mthere${esc}[m`, false],
    [`${esc}[0;38;5;200;48;5;200mgone${esc}[m`, true],
    [`${esc}[0;38;2;8;8;8mthere${esc}[m`, false],
    [`${esc}[0;38;2;1;2;3;48;2;1;2;3mgone${esc}[m`, true],
    [`${esc}[0;38;2;1;2;3;48;2;1;2;4mthere${esc}[m`, false],
    [`${esc}[0;4:3;58:5:8mthere${esc}[m`, false],
    [`${esc}[0;8m${esc}]8;;http://x${esc}\\gone${esc}[m`, true],
    [`${esc}]8;;http://x${esc}\\${esc}[0;1mthere${esc}[m${esc}]8;;${esc}\\`, false],
  ])('%j: %s', (ansi, isHidden) => {
    expect(hidesText(ansi)).toBe(isHidden);
  });

  it('keeps the text', () => {
    const link = `${esc}]8;id=1;http://x${esc}\\li${esc}[0;1mnk${esc}[m${esc}]8;;${esc}\\`;
    expect(withoutStyles(`a ${link} b`)).toBe('a link b');
  });
});
