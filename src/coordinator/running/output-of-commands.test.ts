import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../test/support/run/runs.ts';
import { MarkedShell } from '../../../test/support/session/marked-shell.ts';
import { shellMark } from '../../../test/support/session/shell-marks.ts';

const clear = '\x1b[H\x1b[2J\x1b[3J';
const noGap = { lines: 0, bytes: 0 };

describe('the output of a command', () => {
  it.each<[string, string]>([
    ['the screen was cleared', clear],
    ['the screen was cleared with ctrl+l', '\x1b[H\x1b[2J'],
    ['the cursor went home and the screen was erased below it', '\x1b[H\x1b[J'],
    ['a program painted from the top', '\x1b[Hone\x1b[K\r\ntwo\x1b[K\r\nthree\x1b[K'],
    ['the terminal was reset', '\x1bc'],
    ['its row was erased', '\x1b[3A\x1b[2K'],
    ['rows were inserted above it', '\x1b[H\x1b[2L'],
    ['it scrolled out of the scrollback', 'x\r\n'.repeat(2000)],
  ])('is the same after %s', async (_what, later) => {
    const shell = new MarkedShell();
    shell.run('keep1\r\n');
    shell.run(later);
    shell.run('other\r\n');
    expect(shell.read(1)).toMatchObject({ text: { tail: 'keep1' }, openEnd: false, gap: noGap });
    expect(await shell.matches(1, '.*')).toMatchObject([{ text: 'keep1' }]);
    expect(shell.text(3)).toBe('other');
  });

  it.each<[string, string, string]>([
    ['the lines before and after it cleared the screen', `x\r\n${clear}y\r\n`, 'x\ny'],
    ['the lines before and after a reset', 'x\r\n\x1bcy\r\n', 'x\ny'],
    ['nothing if it only cleared the screen', clear, ''],
    ['the text that it wrote elsewhere', '\x1b[2;4Hhere\r\n', 'here'],
    ['the text that it wrote further down', '\x1b[7;4Hhere\r\n', 'here'],
    ['the rows that it painted', '\x1b[Hone\r\n two\r\n', 'one\n two'],
    ['no text that it wrote over', 'half\rdone\r\n', 'done'],
    ['the rest of a line after its cursor', 'abc\r', 'abc'],
    ['the last of a progress display', '1\r\n2\r\n\x1b[2A\x1b[J3\r\n4\r\n', '3\n4'],
    ['empty lines', '\r\na\r\n\r\n\r\n', '\na\n\n'],
    ['spaces', '  a  \r\n', '  a  '],
    ['the primary screen only', 'a\r\n\x1b[?1049hfull\x1b[?1049lb\r\n', 'a\nb'],
    ['a frame that is not complete', 'a\r\n\x1b[?2026hb\r\n', 'a\nb'],
  ])('is %s', (_what, output, expected) => {
    const shell = new MarkedShell();
    shell.run('other\r\n');
    shell.begin('command');
    shell.output(output);
    expect(shell.text(2)).toBe(expected);
    shell.end();
    expect(shell.text(2)).toBe(expected);
    expect(shell.text(1)).toBe('other');
  });

  it('has no rows that were only cleared, although they are coloured', () => {
    const shell = new MarkedShell();
    shell.run('\x1b[42mgreen\r\n');
    shell.run(`x\r\n${clear}y\r\n`);
    expect(shell.text(2)).toBe('x\ny');
  });

  it('has an open end if its last line has no line end', () => {
    const shell = new MarkedShell();
    shell.run('abc');
    shell.run('a\r\n');
    shell.run('');
    shell.run('abc\r\n\x1b[A');
    expect([1, 2, 3, 4].map((number) => shell.read(number).openEnd)).toEqual([
      true,
      false,
      true,
      false,
    ]);
  });

  it('keeps styles', () => {
    const shell = new MarkedShell();
    shell.run('\x1b[31mred\x1b[m\r\n');
    shell.run(clear);
    expect(shell.read(1, { format: 'ansi' }).text.tail).toMatch(/^\x1b\[(0;)?31mred/);
  });

  it('begins with the settings of the terminal', () => {
    const shell = new MarkedShell();
    shell.output('\x1b[3g\x1b[5G\x1bH\r\x1b(0');
    shell.run('q\tx\r\n');
    expect(shell.text(1)).toMatch(/^─\s+│$/);
  });

  it('is wrapped as it was, also if the size changed', async () => {
    const shell = new MarkedShell();
    shell.begin('command');
    shell.output(`${'a'.repeat(50)}\r\n`);
    await shell.fake.session.resize({ cols: 20, rows: 8 });
    shell.output(`${'b'.repeat(50)}\r\n`);
    shell.end();
    shell.run(clear);
    expect(shell.text(1)).toBe(`${'a'.repeat(50)}\n${'b'.repeat(50)}`);
  });

  it('is there after the exit of the shell', () => {
    const shell = new MarkedShell();
    shell.begin('exit');
    shell.output('bye\r\n');
    shell.fake.pty.announceExit({ code: 3, signal: null });
    expect(shell.read(1)).toMatchObject({ command: { exitCode: 3 }, text: { tail: 'bye' } });
  });

  it('has line numbers of the session only while they are its lines', async () => {
    const shell = new MarkedShell();
    shell.run('a\r\nb\r\nc\r\n');
    const budget = { maxLines: 1 };
    expect(shell.read(1, budget).text.omitted).toMatchObject({ fromLine: 1, toLine: 3 });
    expect(await shell.matches(1, 'b')).toMatchObject([{ line: 2 }]);
    shell.run('\x1b[2;1Hx');
    expect(shell.read(1, budget).text.omitted).toMatchObject({ fromLine: null, toLine: null });
    expect(await shell.matches(1, 'b')).toMatchObject([{ line: 1, inOutput: true }]);
  });

  it('does not depend on chunks', () => {
    const output = `a\r\n\x1b[31m漢字\t${clear}b\r\n\x1b[3;3Hc\r\n`;
    const whole = new MarkedShell();
    whole.run(output);
    const split = new MarkedShell();
    split.run(...Array.from(new TextEncoder().encode(output), (byte) => Uint8Array.of(byte)));
    expect(split.read(1).text).toEqual(whole.read(1).text);
  });
});

describe('long output', () => {
  const lines = (count: number) => Array.from({ length: count }, (_, index) => `line ${index}`);
  const written = (count: number) => `${lines(count).join('\r\n')}\r\n`;
  const others = 'y'.repeat(998).concat('\r\n').repeat(100);

  it('is whole while its lines are unchanged, also if its end was cleared', () => {
    const shell = new MarkedShell(100_000);
    shell.run(written(20_000));
    expect(shell.text(1).split('\n')).toEqual(lines(20_000));
    shell.run('\x1b[H\x1b[2J');
    expect(shell.read(1)).toMatchObject({ gap: noGap });
    expect(shell.text(1).split('\n')).toEqual(lines(20_000));
  });

  it('is whole while a long line above its end is on the screen', () => {
    const shell = new MarkedShell();
    const long = 'x'.repeat(100_000);
    shell.run(`${long}\r\n1\r\n2\r\n`);
    expect(shell.text(1)).toBe(`${long}\n1\n2`);
    expect(shell.read(1).gap).toEqual({ lines: 0, bytes: 0 });
    shell.output('\x1b[3A\r\x1b[2K');
    expect(shell.text(1)).toBe('1\n2');
    expect(shell.read(1).gap).toMatchObject({ lines: 1, cleared: true });
  });

  it.each<[string, string]>([
    ['', `${'x'.repeat(100_000)}\r\n1\r\n2`],
    [', also if it is the only one', 'x'.repeat(100_000)],
    [', also if it has no line end', `1\r\n${'0123456789'.repeat(10_000)}`],
  ])('is whole after a long line has left the screen%s', async (_, output) => {
    const ends = output.endsWith('9') ? '' : '\r\n';
    const text = output.replaceAll('\r', '');
    const shell = new MarkedShell(100_000);
    shell.run(`${output}${ends}`);
    await shell.fake.session.resize({ cols: 50, rows: 20 });
    for (let number = 0; number < 2; number++) {
      expect(shell.text(1) === text).toBe(true);
      expect(shell.read(1).gap).toEqual(noGap);
      shell.run(written(20));
    }
    // Its bytes are dropped.
    for (let number = 0; number < 20; number++) shell.run(others);
    expect(shell.text(1) === text).toBe(true);
    expect(shell.read(1).gap).toEqual(noGap);
  });

  it.each<[string, string, string]>([
    ['a line', `${'x'.repeat(100_000)}\r\n`, ''],
    [
      'a line without a line end',
      '0123456789'.repeat(10_000),
      '0123456789'.repeat(10_000).slice(-65_536),
    ],
  ])('counts %s that was written over in the same chunk', (_, output, text) => {
    const shell = new MarkedShell(100_000);
    shell.begin('command');
    shell.output(`${output}${shellMark('D;0')}\x1b[H\x1b[2K`);
    expect(shell.text(1) === text).toBe(true);
    expect(shell.read(1).gap).toMatchObject({ lines: 1, cleared: true });
    // Its bytes are dropped.
    shell.prompt();
    for (let number = 0; number < 20; number++) shell.run(others);
    expect(shell.read(1)).toMatchObject({ text: { tail: '' }, gap: { cleared: true } });
  });

  it('keeps its end, and counts the rest, when the scrollback is cleared', () => {
    const shell = new MarkedShell(100_000);
    shell.run(written(20_000));
    shell.run(clear);
    const { text, gap } = shell.read(1);
    const rows = text.tail.split('\n');
    expect(rows).toEqual(lines(20_000).slice(-rows.length));
    expect(rows.length).toBeGreaterThan(5000);
    expect(gap).toMatchObject({ lines: 20_000 - rows.length });
  });

  it('keeps its end and the style there if the screen was cleared during it', () => {
    const shell = new MarkedShell();
    shell.run(`${clear}\x1b[m\x1b[8m${written(10_000)}`);
    const { text, gap } = shell.read(1, { format: 'ansi' });
    expect(text.tail).toMatch(/\x1b\[[0-9;]*8mline 9999/);
    expect(text.tail.split('\n').every((line) => /\x1b\[[0-9;]*8m/.test(line))).toBe(true);
    expect(gap.cleared).toBeUndefined();
    expect(gap.lines + text.tail.split('\n').length).toBe(10_000);
  });

  it.each<[string, (shell: MarkedShell) => void]>([
    ['it cleared the screen first', (shell) => shell.run(`${clear}${written(20_000)}`)],
    [
      'it cleared the screen first and is running',
      (shell) => {
        shell.begin('command');
        shell.output(`${clear}${written(100_000)}`);
      },
    ],
    [
      'the screen was cleared before it, in one chunk with its prompt',
      (shell) => {
        const begin = `${clear}${shellMark('A')}$ ${shellMark('B')}command\r\n${shellMark('C')}`;
        shell.output(`${begin}${written(20_000)}${shellMark('D;0')}`);
      },
    ],
  ])('has all lines of the scrollback if %s', (_what, run) => {
    const shell = new MarkedShell(10_000);
    shell.output('other\r\n'.repeat(20));
    run(shell);
    const { text, gap } = shell.read(1);
    const rows = text.tail.split('\n');
    const total = Number(rows.at(-1)?.replace('line ', '')) + 1;
    expect(rows).toEqual(lines(total).slice(-rows.length));
    expect(rows.length).toBeGreaterThanOrEqual(10_000);
    expect(gap).toEqual({ lines: total - rows.length, bytes: 0 });
  });

  it('counts the lines before it cleared the screen', () => {
    const shell = new MarkedShell(100_000);
    shell.run(`one\r\ntwo\r\n${clear}${written(10_000)}`);
    const { text, gap } = shell.read(1);
    expect(text.tail.split('\n')).toEqual(lines(10_000));
    expect(gap).toEqual({ lines: 2, bytes: 0 });
  });
});

describe('the output of many commands', () => {
  const kib = 'x'.repeat(38).concat('\r\n').repeat(26);

  it('is bounded; the lines replace what was dropped while they are unchanged', () => {
    const shell = new MarkedShell(100_000);
    for (let number = 1; number <= 80; number++) shell.run(`first ${number}\r\n${kib.repeat(20)}`);
    expect(shell.read(1).gap).toEqual(noGap);
    expect(shell.text(1)).toMatch(/^first 1\nx/);
    shell.run(clear);
    expect(shell.read(1)).toMatchObject({ text: { tail: '' }, gap: { lines: 521 } });
    expect(shell.text(80)).toMatch(/^first 80\nx/);
  });

  it('says that it is gone if it was dropped and its lines were cleared', () => {
    const shell = new MarkedShell(100_000);
    shell.run('first\r\n');
    shell.run('\x1b[Hother\r\n');
    for (let number = 0; number < 60; number++) shell.run(kib.repeat(20));
    expect(shell.read(1)).toMatchObject({ text: { tail: '' }, gap: { lines: 1, cleared: true } });
  });
});

describe('hostile output', () => {
  it('has a bounded number of lines when it clears a large screen again and again', () => {
    const shell = new MarkedShell(1000, { cols: 4, rows: 1000 });
    shell.run('x\x1b[999Hx\x1b[H\x1b[2J'.repeat(3000));
    expect(shell.text(1).split('\n').length).toBeLessThan(100_000);
  });
});

describe('raw output', () => {
  it('is the bytes between the marks', () => {
    const shell = new MarkedShell();
    shell.run('\x1b[31ma\tb\r\n', clear);
    const { raw, text, gap } = shell.read(1, { format: 'raw' });
    expect(Buffer.from(raw?.bytes ?? []).toString()).toBe(`\x1b[31ma\tb\r\n${clear}`);
    expect([text.tail, gap]).toEqual(['', noGap]);
    const cut = shell.read(1, { format: 'raw', maxBytes: 6, keep: 'head' }).raw;
    expect(Buffer.from(cut?.bytes ?? []).toString()).toBe('\x1b[31ma');
    expect(cut?.omittedBytes).toBe(4 + clear.length);
  });

  it('is the kept end of long output that the log has dropped', () => {
    const shell = new MarkedShell();
    shell.run('\x1b[31m', 'x'.repeat(99).concat('\n').repeat(1000));
    shell.fake.pty.dropOutput();
    const { raw, gap } = shell.read(1, { format: 'raw' });
    expect(raw?.bytes.length).toBeGreaterThan(65_000);
    expect(Buffer.from(raw?.bytes ?? []).toString()).toMatch(/^x{99}\n/);
    expect(gap.bytes + (raw?.bytes.length ?? 0)).toBe(100_005);
  });

  it('is that of a running command so far', () => {
    const shell = new MarkedShell();
    shell.begin('command');
    shell.output('abc');
    expect(shell.read(1, { format: 'raw' }).raw?.bytes).toHaveLength(3);
  });
});

describe('a later command', () => {
  const step = fc.oneof(
    fc.stringMatching(/^[a-z ]{1,60}$/),
    fc.constantFrom('\r\n', '\r', '\n', '\t', '\b', clear, '\x1b[H', '\x1b[J', '\x1b[1J', '\x1bc'),
    fc.constantFrom('\x1b[2K', '\x1b[3L', '\x1b[3M', '\x1b[2S', '\x1b[2T', '\x1bM', '\x1b[3;6r'),
    fc.constantFrom('\x1b[?1049h', '\x1b[?1049l', '\x1b[?2026h', '\x1b[?2026l', '\x1b[r', '\x1b#8'),
    fc.tuple(fc.nat(9), fc.nat(41)).map(([row, col]) => `\x1b[${row};${col}H`),
    fc.nat(12).map((rows) => `\x1b[${rows}A`),
  );
  const program = fc.array(step, { maxLength: 12 }).map((steps) => steps.join(''));
  const size = fc.record({
    cols: fc.integer({ min: 4, max: 60 }),
    rows: fc.integer({ min: 2, max: 12 }),
  });

  it('does not change the output of an earlier one, whatever it writes', async () => {
    const property = fc.asyncProperty(
      program,
      fc.array(fc.oneof(program, size), { maxLength: 5 }),
      async (first, later) => {
        const shell = new MarkedShell();
        shell.run('before\r\n');
        shell.run(first);
        const { text, openEnd, gap } = shell.read(2);
        for (const next of later) {
          if (typeof next === 'string') shell.run(next);
          else await shell.fake.session.resize(next);
          const now = shell.read(2);
          expect(now).toMatchObject({ openEnd, gap });
          expect(now.text).toEqual(text);
          expect(shell.text(1)).toBe('before');
        }
        expect(shell.fake.faults).toEqual([]);
      },
    );
    await fc.assert(property, runs(150));
  });
});
