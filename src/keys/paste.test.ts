import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeText } from '#keys';
import type { PasteMode } from '#model';
import { visible } from '../../test/support/vt/escaped-bytes.ts';

const begin = '\x1b[200~';
const end = '\x1b[201~';
const c1End = '\u009b201~';

const pasteOf = (
  text: string,
  paste: PasteMode,
  bracketedPaste = true,
  alternateScreen = false,
): string =>
  Buffer.from(encodeText(text, paste, { bracketedPaste, alternateScreen })).toString('utf8');

/** Text that is likely to contain end marks or parts of them. */
const spiked = fc
  .array(fc.oneof(fc.constantFrom(begin, end, c1End, '\x1b[20', '1~', '\x1b', '\n'), fc.string()))
  .map((parts) => parts.join(''));

describe('never', () => {
  it('sends the text unchanged', () => {
    fc.assert(
      fc.property(spiked, (text) => {
        expect(pasteOf(text, 'never')).toBe(text);
      }),
    );
  });

  it('sends U+FFFD for an unpaired surrogate', () => {
    expect(pasteOf('a\ud800b', 'never')).toBe('a\ufffdb');
  });
});

describe('always', () => {
  it('puts any text between the marks, in any mode', () => {
    expect(pasteOf('ls', 'always', false)).toBe(`${begin}ls${end}`);
    expect(pasteOf('', 'always', false)).toBe(`${begin}${end}`);
  });

  it('sends line endings as CR', () => {
    expect(pasteOf('a\nb\r\nc\rd\n', 'always')).toBe(`${begin}a\rb\rc\rd\r${end}`);
  });

  it.each([
    ['an end mark', `a${end}b`, 'ab'],
    ['an 8-bit end mark', `a${c1End}b`, 'ab'],
    ['one that forms when another is removed', '\x1b[20\x1b[201~1~', ''],
    ['one inside an 8-bit one', `\u009b20${end}1~x`, 'x'],
    ['an 8-bit one inside one', `\x1b[2${c1End}01~x`, 'x'],
    ['deeply nested ones', '\x1b[20'.repeat(50) + '1~'.repeat(50), ''],
  ])('removes %s', (_, text, left) => {
    expect(visible(pasteOf(text, 'always'))).toBe(visible(`${begin}${left}${end}`));
  });

  it.each(['\x1b[201', '201~', '\x1b[0201~', begin])('leaves %j alone', (text) => {
    expect(visible(pasteOf(text, 'always'))).toBe(visible(`${begin}${text}${end}`));
  });

  it('has one end mark, at the end, for any text', () => {
    fc.assert(
      fc.property(spiked, (text) => {
        const pasted = pasteOf(text, 'always');
        expect(pasted.indexOf(end)).toBe(pasted.length - end.length);
        expect(pasted).not.toContain(c1End);
      }),
    );
  });

  it('contains the text with CR for line endings, if it has no end mark', () => {
    const harmless = spiked.filter((text) => !text.includes('201~'));
    fc.assert(
      fc.property(harmless, (text) => {
        const inside = pasteOf(text, 'always').slice(begin.length, -end.length);
        expect(inside).toBe(text.replaceAll('\r\n', '\n').replaceAll('\n', '\r'));
      }),
    );
  });

  it('takes time in proportion to the text, whatever marks it contains', () => {
    const depth = 100_000;
    expect(pasteOf('\x1b[20'.repeat(depth) + '1~'.repeat(depth), 'always')).toBe(begin + end);
  });
});

describe('auto', () => {
  it.each([
    ['several lines', 'a\nb', `${begin}a\rb${end}`],
    ['several lines with a last enter', 'a\r\nb\r\n', `${begin}a\rb${end}\r`],
    ['several lines with empty ones at the end', 'a\nb\n\n', `${begin}a\rb${end}\r\r`],
    ['a line and an empty one', 'a\n\n', `${begin}a${end}\r\r`],
    ['lines with an end mark between', `a\n${end}b`, `${begin}a\rb${end}`],
    ['lines that end in CR', 'a\rb', `${begin}a\rb${end}`],
    ['one line', 'ls', 'ls'],
    ['one line with enter', 'ls\n', 'ls\n'],
    ['one line with CR LF', 'ls\r\n', 'ls\r\n'],
    ['empty lines only', '\n\n', '\n\n'],
    ['nothing', '', ''],
  ])('with %s', (_, text, expected) => {
    expect(visible(pasteOf(text, 'auto'))).toBe(visible(expected));
  });

  it('sends the text unchanged to a program without mode 2004', () => {
    fc.assert(
      fc.property(spiked, (text) => {
        expect(pasteOf(text, 'auto', false)).toBe(text);
      }),
    );
  });

  it('sends the text unchanged to a program on the alternate screen', () => {
    expect(pasteOf(':2d\n:wq\n', 'auto', true, true)).toBe(':2d\n:wq\n');
    fc.assert(
      fc.property(spiked, (text) => {
        expect(pasteOf(text, 'auto', true, true)).toBe(text);
      }),
    );
  });

  it('never lets the text end its paste', () => {
    fc.assert(
      fc.property(spiked, (text) => {
        const pasted = pasteOf(text, 'auto');
        if (pasted === text) return;
        const after = pasted.slice(pasted.indexOf(end) + end.length);
        expect(after).toMatch(/^\r*$/);
      }),
    );
  });
});

describe('supported', () => {
  it.each([
    ['one line', 'ls', `${begin}ls${end}`],
    ['a tab', 'echo a\tb', `${begin}echo a\tb${end}`],
    ['lines with a last line end', 'a\r\nb\n', `${begin}a\rb\r${end}`],
    ['a line end only', '\n', `${begin}\r${end}`],
    ['an end mark', `x${end}y`, `${begin}xy${end}`],
  ])('pastes %s on either screen', (_, text, expected) => {
    expect(visible(pasteOf(text, 'supported', true, false))).toBe(visible(expected));
    expect(visible(pasteOf(text, 'supported', true, true))).toBe(visible(expected));
  });

  it('sends CR for line endings to a program without mode 2004', () => {
    expect(pasteOf('a\nb\r\nc\rd\n', 'supported', false)).toBe('a\rb\rc\rd\r');
    expect(pasteOf('', 'supported')).toBe('');
  });
});
