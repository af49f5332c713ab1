import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeUtf8 } from '#base';
import { type ReadRequest, startMark } from '#model';
import { markNow, read } from '#watch';
import { runs } from '../../../test/support/run/runs.ts';
import { WatchedTerminal } from '../../../test/support/session/watched-terminal.ts';

/** Returns the text read after `after` from a mark set after `before`, on a screen of 20x4. */
function newOf(before: string, after: string | readonly string[], request: ReadRequest = {}) {
  const watched = new WatchedTerminal();
  if (before !== '') watched.output(before);
  const since = markNow(watched);
  for (const each of typeof after === 'string' ? [after] : after) watched.output(each);
  return read(watched, { since, ...request });
}

const hundred = Array.from({ length: 100 }, (_, index) => `line ${index}\r\n`).join('');

describe('read', () => {
  it('returns all output from the start mark', () => {
    const watched = new WatchedTerminal();
    watched.output('one\r\ntwo');
    expect(read(watched, { since: startMark }).text).toEqual(read(watched, {}).text);
  });

  it.each<[string, string, string | readonly string[], string]>([
    ['new lines', 'old\r\n', 'a\r\nb\r\n', 'a\nb'],
    ['text added to a line', '$ ', 'make\r\nok\r\n', 'make\nok'],
    ['an unfinished line', 'old\r\n', 'password: ', 'password: '],
    ['empty lines between', 'old\r\n', 'a\r\n\r\nb', 'a\n\nb'],
    ['all of a rewritten line', '10%', '\r100%', '100%'],
    ['a progress bar as one line', 'go\r\n', ['10%', '\r20%', '\r30%\r\ndone'], '30%\ndone'],
    ['text erased and written again', 'abc', '\r\x1b[Kxyz', 'xyz'],
    ['lines that have scrolled away', 'a\r\n', hundred, hundred.replaceAll('\r', '').trimEnd()],
    ['a wrapped line as one', '', 'z'.repeat(50), 'z'.repeat(50)],
    ['only the new part of a wrapped line', 'z'.repeat(30), 'y'.repeat(30), 'y'.repeat(30)],
    [
      'lines further up that were written again',
      'a 1%\r\nb 1%\r\n',
      '\x1b[2Aa 9%\r\n\x1b[B\r\nend',
      'a 9%\nend',
    ],
    ['output after the screen was cleared', 'a\r\nb\r\nc', '\x1b[H\x1b[2Jx\r\ny', 'x\ny'],
    [
      'output after it was cleared that scrolled away',
      'a\r\nb\r\nc',
      `\x1b[H\x1b[2J${hundred}`,
      hundred.replaceAll('\r', '').trimEnd(),
    ],
    ['no text from below the cursor', 'a\r\nb\r\nc\x1b[1;1H', '\x1b[1;1Hx', 'x'],
  ])('returns %s', (_what, before, after, text) => {
    const { kind, text: read } = newOf(before, after);
    expect([kind, read.tail]).toEqual(['lines', text]);
  });

  it.each([
    ['nothing', ''],
    ['a title', '\x1b]2;title\x07'],
    ['a cursor that moves', '\x1b[1;1H'],
  ])('is unchanged after %s', (_what, after) => {
    expect(newOf('old', after).kind).toBe('unchanged');
  });

  it('returns the alternate screen if it changed', () => {
    const read = newOf('$ ', '\x1b[?1049h\x1b[2;3Hmenu');
    expect(read).toMatchObject({ kind: 'screen', text: { tail: '\n  menu' }, fromLine: null });
    const unchanged = newOf('\x1b[?1049hmenu', '\x1b[3;3H');
    expect(unchanged.kind).toBe('unchanged');
    // Earlier text is still on the screen, so it is included.
    expect(newOf('\x1b[?1049hmenu', '\x1b[3;1Hx').text.tail).toBe('menu\n\nx');
  });

  it('returns the unchanged primary screen after a full-screen program', () => {
    expect(newOf('$ vim\r\n', '\x1b[?1049hmenu\x1b[?1049l$ ').text.tail).toBe('$ ');
  });

  it('returns the unread lines before the alternate screen', () => {
    const watched = new WatchedTerminal();
    watched.output('$ ');
    const since = markNow(watched);
    watched.output('less f\r\none\r\ntwo');
    watched.output('\x1b[?1049h\x1b[Hmenu');
    const first = read(watched, { since });
    expect(first).toMatchObject({ kind: 'screen', fromLine: 0 });
    expect(first.text.tail).toBe('less f\none\ntwo\nmenu');
    watched.output('\x1b[?1049l\r\n$ ');
    const second = read(watched, { since: first.mark });
    expect([second.kind, second.text.tail]).toEqual(['lines', '$ ']);
  });

  it.each([
    ['in one chunk', [`${'x\r\n'.repeat(5)}hint\x1b[?1049h`]],
    ['in several chunks', ['x\r\n'.repeat(5), 'hint', '\x1b[?1049h']],
    ['on a screen with empty rows', ['hint\x1b[?1049h']],
    ['with mode 47', [`${'x\r\n'.repeat(5)}hint\x1b7\x1b[?47h`], '\x1b[?47l\x1b8'],
    ['with mode 47, without a saved cursor', ['x\r\n'.repeat(5), 'hint\x1b[?47h'], '\x1b[?47l'],
  ])(
    'returns the line that was rewritten after the alternate screen: %s',
    (_, before, leave = '\x1b[?1049l') => {
      const watched = new WatchedTerminal();
      for (const chunk of before) watched.output(chunk);
      const since = markNow(watched);
      watched.output(`${leave}\r\x1b[Kshort\r\nsecond\r\n`);
      expect(read(watched, { since }).text.tail).toBe('short\nsecond');
    },
  );

  it('returns only the text added to the line at the cursor after the alternate screen', () => {
    const read = newOf('a\r\n$ vim\x1b[?1049hmenu', '\x1b[?1049l, done\r\n$ ');
    expect(read.text.tail).toBe(', done\n$ ');
  });

  it('returns a line that was rewritten in the chunk that shows the alternate screen', () => {
    const read = newOf('a\r\nb\r\nc', '\x1b[HA\x1b[3;2H\x1b[?1049h\x1b[Hmenu');
    expect(read.text.tail).toBe('A\nmenu');
  });

  it('accepts a mark from the alternate screen before a resize', () => {
    const watched = new WatchedTerminal();
    watched.output(`${'x\r\n'.repeat(5)}${'z'.repeat(18)}\x1b[?1049h`);
    const since = markNow(watched);
    watched.resize({ cols: 7, rows: 3 });
    watched.output('menu');
    watched.output('\x1b[?1049l\r\nok');
    expect(read(watched, { since }).text.tail).toBe('ok');
  });

  it('returns each line once, with programs on the alternate screen in between', () => {
    const step = fc.constantFrom('lines', 'text', 'rewrite', 'enter', 'leave', 'menu', 'read');
    const steps = fc.array(fc.record({ step, joined: fc.boolean() }), { maxLength: 40 });
    const property = fc.property(steps, (all) => {
      const watched = new WatchedTerminal({ cols: 20, rows: 4 });
      let mark = markNow(watched);
      let output = '';
      let chunk = '';
      let count = 0;
      let isOut = false;
      const flush = () => {
        if (chunk !== '') watched.output(chunk);
        chunk = '';
      };
      const readOn = () => {
        flush();
        const { text, mark: next, kind } = read(watched, { since: mark });
        if (kind !== 'unchanged') output += `${text.tail}\n`;
        mark = next;
      };
      const outputs = {
        lines: () => `<${count++}>\r\n<${count++}>\r\n`,
        text: () => `<${count++}>`,
        rewrite: () => `\r\x1b[K<${count++}>`,
      };
      for (const { step, joined } of all) {
        if (step === 'read') readOn();
        else if (step === 'menu') chunk += isOut ? '\x1b[Hmenu\r\nitem' : '';
        else if (step === 'enter' || step === 'leave') {
          if (isOut !== (step === 'enter')) chunk += `\x1b[?1049${isOut ? 'l' : 'h'}`;
          isOut = step === 'enter';
        } else if (!isOut) chunk += outputs[step]();
        if (!joined) flush();
      }
      if (isOut) chunk += '\x1b[?1049l';
      readOn();
      const { firstLine, endLine } = watched.terminal;
      const lines = [...watched.lineTexts(firstLine, endLine)].map(({ text }) => text).join('\n');
      for (const item of lines.match(/<\d+>/g) ?? []) {
        expect([item, output.split(item).length - 1]).toEqual([item, 1]);
      }
    });
    fc.assert(property, runs(1000));
  });

  it('accepts a mark from before a resize', () => {
    const watched = new WatchedTerminal();
    watched.output(`${'z'.repeat(30)}\r\n$ `);
    const since = markNow(watched);
    watched.resize({ cols: 7, rows: 3 });
    watched.output('make\r\nok');
    watched.resize({ cols: 40, rows: 10 });
    expect(read(watched, { since }).text.tail).toBe('make\nok');
  });

  it('counts the lines dropped before they were read', () => {
    const watched = new WatchedTerminal({ cols: 20, rows: 4 }, undefined, undefined, 10);
    watched.output('a\r\n');
    const since = markNow(watched);
    watched.output(hundred);
    watched.output('end');
    const { gap, fromLine, text } = read(watched, { since });
    expect(fromLine).toBe(watched.terminal.firstLine);
    expect(gap.lines).toBe(watched.terminal.firstLine - 1);
    expect(text.tail.split('\n')).toHaveLength(
      watched.terminal.endLine - watched.terminal.firstLine,
    );
  });

  it('returns raw output', () => {
    const read = newOf('old', ['\x1b[31m', 'red'], { format: 'raw' });
    const bytes = encodeUtf8('\x1b[31mred');
    expect(read).toMatchObject({ kind: 'raw', raw: { bytes, offset: 3, omittedBytes: 0 } });
    const cut = newOf('', 'abcdef', { format: 'raw', maxBytes: 2 });
    expect(cut.raw).toEqual({ bytes: encodeUtf8('ef'), offset: 4, omittedBytes: 4 });
    const head = newOf('', 'abcdef', { format: 'raw', maxBytes: 2, keep: 'head' });
    expect(head.raw).toEqual({ bytes: encodeUtf8('ab'), offset: 0, omittedBytes: 4 });
    expect(newOf('old', '', { format: 'raw' }).kind).toBe('unchanged');
  });

  it.each([
    ['no mark', 'yesterday'],
    ['a mark of another session', markNow(new WatchedTerminal(undefined, undefined, 'other...'))],
    ['a mark of the future', 'r1-session1-0-zzz-0-0-0'],
  ])('rejects %s', (_what, since) => {
    expect(() => read(new WatchedTerminal(), { since })).toThrow(
      expect.objectContaining({ code: 'INVALID_MARK' }),
    );
  });

  it.each<[ReadRequest]>([[{ maxLines: -1 }], [{ maxBytes: 1.5 }], [{ maxTokens: Number.NaN }]])(
    'refuses the budget %o',
    (request) => {
      expect(() => read(new WatchedTerminal(), request)).toThrow(
        expect.objectContaining({ code: 'INVALID_ARGUMENT' }),
      );
    },
  );

  it('returns the same in several reads as in one, without effect on other readers', () => {
    const piece = fc.constantFrom(
      'a',
      'bc ',
      '\r\n',
      '漢',
      '\x1b[31m',
      'word'.repeat(8),
      '\r\n\r\n',
    );
    const steps = fc.array(fc.array(piece, { maxLength: 6 }), { maxLength: 12 });
    const property = fc.property(steps, (chunks) => {
      const watched = new WatchedTerminal({ cols: 11, rows: 3 });
      const since = markNow(watched);
      let mark = since;
      let inSteps = '';
      for (const chunk of chunks) {
        watched.output(chunk.join(''));
        const { text, mark: next } = read(watched, { since: mark });
        inSteps += text.tail;
        mark = next;
      }
      const whole = read(watched, { since }).text.tail;
      // Line feeds between two reads are in neither result.
      expect(inSteps.replaceAll('\n', '')).toBe(whole.replaceAll('\n', ''));
    });
    fc.assert(property, runs(300));
  });
});

describe('textBytes', () => {
  it('returns the size of the texts', () => {
    const piece = fc.constantFrom(
      'a',
      ' ',
      '漢',
      'é',
      '👩‍🚀',
      '\x1b[44m',
      '\x1b[K',
      '\r\n',
      '\t',
      '\x1b[m',
    );
    const property = fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
      const watched = new WatchedTerminal({ cols: 9, rows: 2 });
      watched.output(`\x1b[?2027h${pieces.join('')}`);
      const { firstLine, endLine } = watched.terminal;
      const texts = Array.from(watched.lineTexts(firstLine, endLine), ({ text }) => `${text}\n`);
      expect(watched.terminal.textBytes(firstLine, endLine)).toBe(
        encodeUtf8(texts.join('')).length,
      );
    });
    fc.assert(property, runs(300));
  });
});
