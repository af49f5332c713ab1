import rgiEmoji from '@unicode/unicode-18.0.0/Sequence_Property/RGI_Emoji/index.mjs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  cleanLine,
  escapedJson,
  quoted,
  sanitize,
  styledText,
  withoutControls,
  wordOrQuoted,
} from '#base';
import { runs } from '../../test/support/run/runs.ts';

/** All emoji recommended for interchange, except flags made of tags. */
const emoji = rgiEmoji.filter((each) => !/[\u{e0000}-\u{e007f}]/u.test(each));

/** Text of hostile characters, emoji, and incomplete emoji. */
const text = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)),
      fc.integer({ min: 0, max: 0x9f }).map((unit) => String.fromCharCode(unit)),
      fc.integer({ min: 0xe0000, max: 0xe007f }).map((code) => String.fromCodePoint(code)),
      fc.constantFrom('\u200d', '\ufe0f', '\u202e', '\u2066', '1', '\u20e3', '\u{1f3fd}'),
      fc.constantFrom(...emoji),
    ),
  )
  .map((parts) => parts.join(''));

const countOf = (all: string): number => [...all].length;

describe('sanitize', () => {
  it.each([
    ['the start of an escape sequence', 'a\x1b[31mb\x1b]0;t\x07', 'a[31mb]0;t', 3],
    ['C0 except line feed and tab', '\0\b\t\n\v\f\r\x1f', '\t\n', 6],
    ['DEL and C1', 'a\x7f\x80\x9bb', 'ab', 3],
    ['lone surrogates', '\ud800a\udc00', 'a', 2],
    ['tag characters', `a${String.fromCodePoint(0xe0001, 0xe0041, 0xe007f)}b`, 'ab', 3],
    ['directional marks', 'a\u202e\u2066\u200e\u061cb\u2069\u202c', 'ab', 6],
    ['characters without width', 'a\u200b\u200c\u2060\ufeff\u00ad\u034fb', 'ab', 6],
    ['fillers that look like blanks', '\u3164\u115f\uffa0', '', 3],
    ['line and paragraph separators', 'a\u2028b\u2029', 'ab', 2],
    ['a joiner without two pictographs', 'a\u200db ❤\u200dx \u200d❤', 'ab ❤x ❤', 3],
    [
      'variation selectors elsewhere, or a second one',
      'a\ufe0f1\ufe0f❤\ufe0f\ufe0f',
      'a1❤\ufe0f',
      3,
    ],
    ['the tags of a flag, but not the flag', '🏴\u{e0067}\u{e007f}', '🏴', 2],
  ])('removes %s', (_what, input, plain, removed) => {
    expect(sanitize(input)).toEqual({ text: plain, removed });
  });

  it('removes a single character if it is invisible', () => {
    const invisible =
      /^[\p{Surrogate}\p{Control}\p{Default_Ignorable_Code_Point}\u2028\u2029\uFFF9-\uFFFB]$/u;
    const all = Array.from({ length: 0x10000 }, (_, unit) => String.fromCharCode(unit));
    const wrong = all.filter(
      (char) => (sanitize(char).removed === 1) !== (invisible.test(char) && !'\t\n'.includes(char)),
    );
    expect(wrong).toEqual([]);
  });

  it('keeps text of all scripts', () => {
    const all = '$ ls -la\tä ß é e\u0301 日本語 한국어 العربية עברית हिन्दी ไทย ┌─┐ ⠿ \ue0b0 ﷺ\n';
    expect(sanitize(all)).toEqual({ text: all, removed: 0 });
  });

  it('keeps every emoji', () => {
    expect(emoji.length).toBeGreaterThan(3000);
    expect(emoji.filter((each) => sanitize(each).removed > 0)).toEqual([]);
  });

  it('leaves no control characters and valid UTF-8', () => {
    fc.assert(
      fc.property(text, (input) => {
        const { text: plain } = sanitize(input);
        expect(plain).not.toMatch(/[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/);
        expect(plain).not.toMatch(/[\u{e0000}-\u{e007f}]|\p{Surrogate}/u);
        expect(Buffer.from(plain, 'utf8').toString('utf8')).toBe(plain);
      }),
      runs(500),
    );
  });

  it('counts the removed characters, and removes none the second time', () => {
    fc.assert(
      fc.property(text, (input) => {
        const { text: plain, removed } = sanitize(input);
        expect(countOf(input) - countOf(plain)).toBe(removed);
        expect(sanitize(plain)).toEqual({ text: plain, removed: 0 });
      }),
      runs(500),
    );
  });
});

describe('one set of hostile characters', () => {
  it('is removed from lines and escaped in JSON, which keeps its value', () => {
    const property = fc.property(text, (hostile) => {
      const line = cleanLine(hostile, 1000);
      expect(line).toBe(sanitize(line).text);
      expect(line).not.toMatch(/[\t\n]/);
      const json = escapedJson(JSON.stringify(hostile));
      expect(sanitize(json).removed).toBe(0);
      expect(JSON.parse(json)).toBe(hostile);
    });
    fc.assert(property, runs(200));
  });

  it('is cut at a length, but not inside a character', () => {
    expect(cleanLine('a\u061cb\u{1f600}', 4)).toBe('ab\u{1f600}');
    expect(cleanLine('a\u061cb\u{1f600}', 3)).toBe('ab');
  });
});

describe('text for a terminal', () => {
  const link = '\x1b]8;;https://h/x\x1b\\l\x1b]8;;\x1b\\';
  it.each([
    ['a\tb\nc', 'a\tb\nc', 'a\tb\nc'],
    ['\x1b[1;31md\x1b[m', '[1;31md[m', '\x1b[1;31md\x1b[m'],
    [link, ']8;;https://h/x\\l]8;;\\', link],
    ['\x1b]8;;javascript:x\x1b\\l', ']8;;javascript:x\\l', 'l'],
    ['\x1b]0;title\x07x\r\ny', ']0;titlex\ny', ']0;titlex\ny'],
    ['\x9b1m\x7f\x1b[2J\x1b[?1049h', '1m[2J[?1049h', '1m[2J[?1049h'],
    ['\x1b]8;\x9c\x9b2J;https://h/x\x1b\\l', ']8;2J;https://h/x\\l', ']8;2J;https://h/x\\l'],
    ['\x1b]8;\x9b2J;\x1b\\l', ']8;2J;\\l', ']8;2J;\\l'],
  ])('%j has no sequence that acts on it, but perhaps colours and links', (text, plain, styled) => {
    expect(withoutControls(text)).toBe(plain);
    expect(styledText(text)).toBe(styled);
  });
});

describe('what somebody gave, in a message', () => {
  it('is one line without hostile characters, of at most 200 characters before escapes', () => {
    const property = fc.property(text, fc.nat(400), (part, times) => {
      const word = part.repeat(times);
      for (const shown of [quoted(word), wordOrQuoted(word)]) {
        expect(sanitize(shown)).toEqual({ text: shown, removed: 0 });
        expect(shown).not.toMatch(/[\n\t]/);
      }
      const value = JSON.parse(quoted(word));
      expect(value.length).toBeLessThanOrEqual(200);
      if (word.length <= 200) expect(value).toBe(word);
      else expect(word.startsWith(value.split('…')[0])).toBe(true);
    });
    fc.assert(property, runs(500));
  });

  it('has its beginning and its end', () => {
    const long = `${'a'.repeat(500)}${'z'.repeat(500)}`;
    expect(quoted(long)).toMatch(/^"a{130}…z{60}"$/);
    expect(wordOrQuoted(long)).toMatch(/^a{130}…z{60}$/);
    expect(wordOrQuoted('a b')).toBe('"a b"');
    expect(wordOrQuoted('~/é.sock')).toBe('~/é.sock');
    expect(wordOrQuoted('')).toBe('""');
    expect(quoted([1, 'a'])).toBe('[1,"a"]');
    // No half of a character.
    expect(quoted(`${'😀'.repeat(200)}a`)).toBe(`"${'😀'.repeat(65)}…${'😀'.repeat(29)}a"`);
  });
});
