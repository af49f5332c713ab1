import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Cell, type KeyPress, plainStyle } from '#model';
import { runs } from '../../test/support/run/runs.ts';
import { type PredictableScreen, type PredictMode, Predictor } from './predictor.ts';

const cols = 40;
const cellOf = (text: string): Cell => ({ text, width: 1, style: plainStyle });

/** A line editor, as that of a shell: how it shows a key is decided when the key arrives. */
class Line {
  rows: string[] = ['', '', '', '', ''];
  row = 0;
  col = 0;
  /** What it shows for a character. */
  echo: (text: string) => string = (text) => text;
  isAlternate = false;

  print(text: string): void {
    for (const char of text) this.#put(char);
  }

  take({ key }: KeyPress): void {
    if (key === 'enter') {
      this.row = Math.min(this.row + 1, this.rows.length - 1);
      this.rows[this.row] = '';
      this.col = 0;
      this.print('$ ');
    } else if (key === 'backspace') {
      if (this.echo('x') === '' || this.col <= 2) return;
      this.col--;
      this.rows[this.row] = (this.rows[this.row] ?? '').slice(0, this.col);
    } else this.print(this.echo(key === 'space' ? ' ' : key));
  }

  #put(char: string): void {
    const row = (this.rows[this.row] ?? '').padEnd(this.col);
    this.rows[this.row] = row.slice(0, this.col) + char + row.slice(this.col + 1);
    this.col++;
  }

  screen(): PredictableScreen {
    const rows = this.rows.map((row) => [...row.padEnd(cols)].map(cellOf));
    const { row, col, isAlternate: alternate } = this;
    const cursor = {
      row,
      col,
      wrapPending: false,
      visible: true,
      shape: 'block',
      blinking: true,
    } as const;
    return { cells: { revision: 0, rows }, cursor, alternate, source: this };
  }
}

/** A person, a line that delays everything, and a program. */
class Typing {
  readonly line = new Line();
  readonly predictor: Predictor;
  nowMs = 0;
  /** Of the keys, those that were shown at once. */
  readonly shown: boolean[] = [];
  right = 0;
  wrong = 0;
  readonly #delayMs: number;
  #events: { readonly atMs: number; readonly run: () => void }[] = [];

  constructor(delayMs: number, mode: PredictMode = 'always') {
    this.predictor = new Predictor(mode);
    this.#delayMs = delayMs;
    this.line.print('$ ');
  }

  type(keys: readonly string[], eachMs: number): void {
    for (const key of keys) {
      const before = this.text;
      this.shown.push(this.predictor.key({ key }, this.line.screen(), this.nowMs));
      if (this.shown.at(-1) === false) expect(this.text).toBe(before);
      this.#events.push({
        atMs: this.nowMs + this.#delayMs,
        run: () => {
          this.line.take({ key });
          this.predictor.written(1, this.nowMs);
        },
      });
      this.pass(eachMs);
    }
  }

  pass(ms: number): void {
    const endMs = this.nowMs + ms;
    for (
      let next = this.#events[0];
      next !== undefined && next.atMs <= endMs;
      next = this.#events[0]
    ) {
      this.#events.shift();
      this.nowMs = next.atMs;
      next.run();
      this.#settle();
    }
    this.nowMs = endMs;
    this.#settle();
  }

  /** The row of the cursor, as it is shown. */
  get text(): string {
    const { cells, cursor } = this.predictor.show(this.line.screen());
    return (cells.rows[cursor.row] ?? [])
      .map(({ text }) => text)
      .join('')
      .trimEnd();
  }

  #settle(): void {
    const { right, wrong } = this.predictor.settle(this.line.screen(), this.nowMs);
    this.right += right;
    this.wrong += wrong;
  }
}

const slowMs = 100;

describe('what is typed at a shell', () => {
  it('is shown at once after the first echo of a line, underlined until it is confirmed', () => {
    const typing = new Typing(slowMs);
    typing.type([...'ls'], 150);
    expect(typing.shown).toEqual([false, true]);
    typing.type(['x'], 10);
    expect(typing.text).toBe('$ lsx');
    const { cells, cursor } = typing.predictor.show(typing.line.screen());
    expect(cells.rows[0]?.[4]?.style.underline).toBe('single');
    expect(cells.rows[0]?.[3]?.style.underline).toBe('none');
    expect(cursor.col).toBe(5);
    typing.pass(500);
    expect(typing.predictor.show(typing.line.screen())).toEqual(typing.line.screen());
    expect([typing.right, typing.wrong]).toEqual([2, 0]);
  });

  it('is shown at once while keys follow each other faster than their echoes', () => {
    const typing = new Typing(slowMs);
    for (let count = 0; count < 4; count++) typing.type([...'git status', 'enter'], 40);
    typing.pass(1000);
    const share = typing.shown.filter(Boolean).length / typing.shown.length;
    expect(share).toBeGreaterThan(0.4);
    expect(typing.wrong).toBe(0);
  });

  it('is erased at once as far as it was typed in this line', () => {
    const typing = new Typing(slowMs);
    typing.type([...'abc', 'backspace', 'backspace'], 110);
    expect(typing.text).toBe('$ a');
    typing.pass(300);
    typing.type(['backspace', 'backspace'], 10);
    expect(typing.text).toBe('$');
    expect(typing.shown.at(-1)).toBe(false);
  });

  it('is right only once its own key was written: an earlier one that is erased can look the same', () => {
    const typing = new Typing(300);
    typing.type([...'xy'], 400);
    typing.type([...'ab', 'backspace', 'backspace', ...'abc'], 70);
    typing.pass(1000);
    expect(typing.text).toBe('$ xyabc');
    typing.type([...'de', 'backspace', ...'fg'], 70);
    typing.pass(1000);
    expect(typing.text).toBe('$ xyabcdfg');
    expect(typing.wrong).toBe(0);
    expect(typing.shown.slice(2)).not.toContain(false);
  });

  it('is not shown where an echo takes less than 20 ms, unless always', () => {
    const [fast, slow] = [new Typing(10, 'auto'), new Typing(30, 'auto')];
    for (const each of [fast, slow]) each.type([...'abcdef'], 50);
    expect(fast.shown).not.toContain(true);
    expect(slow.shown).toEqual([false, true, true, true, true, true]);
  });
});

it.each([
  ['nothing', () => ''],
  ['a star for each character', () => '*'],
])('a password of which %s is shown is never shown', (_, echo) => {
  const typing = new Typing(slowMs);
  typing.type([...'su', 'enter'], 120);
  typing.pass(300);
  typing.line.echo = echo;
  const from = typing.shown.length;
  typing.type([...'p*ss**wo*rd'], 60);
  expect(typing.shown.slice(from)).not.toContain(true);
  typing.type([...'p*ss**wo*rd'], 400);
  expect(typing.shown.slice(from)).not.toContain(true);
});

it('the alternate screen shows guesses after three right ones', () => {
  const typing = new Typing(slowMs);
  typing.line.isAlternate = true;
  typing.type([...'hello'], 150);
  expect(typing.shown).toEqual([false, false, false, true, true]);
});

it('keys that are commands are never shown', () => {
  const typing = new Typing(slowMs);
  typing.line.isAlternate = true;
  typing.line.echo = () => '';
  typing.type([...'jjkkwwdd'], 60);
  typing.pass(1000);
  expect(typing.shown).not.toContain(true);
});

it('a wrong guess goes, and what follows is learnt again', () => {
  const typing = new Typing(slowMs);
  typing.type([...'ab'], 150);
  typing.line.echo = (text) => text.toUpperCase();
  typing.type(['c'], 10);
  expect(typing.text).toBe('$ abc');
  typing.pass(slowMs);
  expect(typing.text).toBe('$ abC');
  expect(typing.wrong).toBe(1);
  typing.type(['d'], 10);
  expect(typing.text).toBe('$ abC');
});

it('a guess that no program confirms goes', () => {
  const typing = new Typing(slowMs);
  typing.type([...'ab'], 150);
  typing.line.echo = () => '';
  typing.type(['c'], slowMs + 10);
  expect(typing.text).toBe('$ abc');
  const dueMs = typing.predictor.dueMs ?? 0;
  expect(dueMs).toBe(typing.nowMs - 10 + 250);
  typing.pass(dueMs - typing.nowMs);
  expect(typing.text).toBe('$ ab');
  expect(typing.predictor.dueMs).toBeNull();
});

it('ends as the screen, whatever is typed, however it is echoed', () => {
  const key = fc.constantFrom(
    ...'abcxyz*',
    'space',
    'backspace',
    'backspace',
    'enter',
    'up',
    'tab',
  );
  const part = fc.record({
    keys: fc.array(key, { maxLength: 12 }),
    eachMs: fc.integer({ min: 1, max: 300 }),
    echo: fc.constantFrom(
      (text: string) => text,
      (text: string) => text,
      () => '',
      () => '*',
      (text: string) => `${text}${text}`,
    ),
    settles: fc.boolean(),
  });
  fc.assert(
    fc.property(
      fc.array(part),
      fc.integer({ min: 0, max: 400 }),
      fc.boolean(),
      (parts, delayMs, alternate) => {
        const typing = new Typing(delayMs);
        typing.line.isAlternate = alternate;
        for (const { keys, eachMs, echo, settles } of parts) {
          typing.line.echo = (text) => (text.length > 1 ? '' : echo(text));
          typing.type(keys, eachMs);
          if (settles) typing.pass(1000);
        }
        typing.pass(2000);
        const screen = typing.line.screen();
        expect(typing.predictor.show(screen)).toBe(screen);
      },
    ),
    runs(200),
  );
});
