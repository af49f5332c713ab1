import { describe, expect, it } from 'vitest';
import { Transcript } from './transcript.ts';

const composer = ['──────────', '> ask', '  footer'];
const numbered = (from: number, to: number): string[] =>
  Array.from({ length: to - from }, (_, at) => `line ${from + at} of the answer`);

const range = (count: number): number[] => Array.from({ length: count }, (_, at) => at);

/** Returns numbers from 0 to 1 that are the same for a seed. */
function randomNumbers(seed: number): () => number {
  let state = seed * 7919;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Returns the texts after some screens, each with the composer at its end. */
function transcriptOf(...screens: readonly (readonly string[])[]): string[] {
  const transcript = new Transcript();
  for (const [at, rows] of screens.entries()) transcript.show([...rows, ...composer], at + 1);
  return transcript.rows().map(({ text, isUncertain }) => (isUncertain ? `? ${text}` : text));
}

describe('a transcript', () => {
  it('has the rows that a program has drawn further up until they left', () => {
    expect(transcriptOf(numbered(0, 8), numbered(3, 11), numbered(4, 12))).toEqual(numbered(0, 12));
  });

  it('has the last text of a row that was drawn again', () => {
    const screens = [
      [...numbered(0, 3), 'I lo'],
      [...numbered(0, 3), 'I look at the'],
      [...numbered(1, 3), 'I look at the code', 'and then'],
      ['line 2 of the answer', 'I look at the code', 'and then I run it', 'done'],
    ];
    expect(transcriptOf(...screens)).toEqual([
      ...numbered(0, 3),
      'I look at the code',
      'and then I run it',
      'done',
    ]);
  });

  it('keeps rows that are equal', () => {
    const code = (name: string) => [`if (${name}) {`, '  return value;', '}'];
    const all = ['alpha', 'beta', 'gamma', 'delta'].flatMap(code);
    const screens = Array.from({ length: 7 }, (_, at) => all.slice(at, at + 6));
    expect(transcriptOf(...screens)).toEqual(all);
  });

  it('leaves out a sign that turns', () => {
    const frame = (from: number, seconds: number) => [
      ...numbered(from, from + 5),
      '',
      `* Working (${seconds}s)`,
    ];
    expect(transcriptOf(frame(0, 1), frame(1, 2), frame(3, 3))).toEqual(numbered(0, 8));
  });

  it('keeps rows that leave below a heading that stays', () => {
    const screens = [0, 2, 3, 5].map((from) => ['the title', '', ...numbered(from, from + 5)]);
    expect(transcriptOf(...screens)).toEqual(['the title', '', ...numbered(0, 10)]);
  });

  it('does not add rows that come back when a person scrolls', () => {
    const froms = [0, 3, 6, 9, 6, 3, 0, 3, 6, 9, 10];
    expect(transcriptOf(...froms.map((from) => numbered(from, from + 6)))).toEqual(numbered(0, 16));
  });

  it('does not add rows that come back after a jump', () => {
    const froms = [0, 3, 6, 9, 12, 15, 18, 2, 18, 19];
    expect(transcriptOf(...froms.map((from) => numbered(from, from + 6)))).toEqual(numbered(0, 25));
  });

  it('leaves out a dialog that was shown over it', () => {
    const dialog = [
      'Run this command?',
      '  npm publish',
      '1. Yes',
      '2. No, tell it what to do',
      '',
      '',
    ];
    expect(
      transcriptOf(numbered(0, 6), numbered(2, 8), dialog, numbered(2, 8), numbered(3, 9)),
    ).toEqual(numbered(0, 9));
  });

  it('keeps the rows of another screen, and tells that rows may be missing', () => {
    expect(
      transcriptOf(numbered(0, 6), numbered(1, 7), numbered(40, 46), numbered(42, 48)),
    ).toEqual([...numbered(0, 7), '? line 40 of the answer', ...numbered(41, 48)]);
  });

  it('compares rows without a scroll bar', () => {
    const bar = (from: number, at: number) =>
      numbered(from, from + 6).map((text, row) => `${text.padEnd(38)}${row === at ? '┃' : '│'}`);
    const rows = transcriptOf(bar(0, 0), bar(2, 1), bar(4, 2));
    expect(rows.map((row) => row.replace(/\s+[┃│]$/, ''))).toEqual(numbered(0, 10));
  });

  it('goes on after a new size', () => {
    const transcript = new Transcript();
    const show = (rows: readonly string[]) => transcript.show([...rows, ...composer], 1);
    show(numbered(0, 8));
    show(numbered(2, 10));
    show(numbered(6, 10));
    show(numbered(8, 12));
    show(numbered(3, 12));
    expect(transcript.rows().map(({ text }) => text)).toEqual(numbered(0, 12));
  });

  it('tells which rows were first shown after an offset, and which the screen shows', () => {
    const transcript = new Transcript();
    transcript.show([...numbered(0, 4), ...composer], 10);
    transcript.show([...numbered(2, 6), ...composer], 20);
    expect(transcript.rows().map(({ offset }) => offset)).toEqual([10, 10, 10, 10, 20, 20]);
    expect(transcript.rows({ aboveScreen: true }).map(({ text }) => text)).toEqual(numbered(0, 2));
  });

  it('keeps the newest rows', () => {
    const transcript = new Transcript(20);
    for (let from = 0; from < 100; from++) {
      transcript.show([...numbered(from, from + 5), ...composer], from);
    }
    const rows = transcript.rows().map(({ text }) => text);
    expect(rows).toEqual(numbered(transcript.dropped, 104));
    expect(rows.length).toBeLessThanOrEqual(20 * 1.1 + 5);
  });

  it.each(range(24))(
    'has each row of a text that streams and is scrolled once, in order: %i',
    (seed) => {
      const random = randomNumbers(seed + 1);
      const below = (count: number) => Math.floor(random() * count);
      const heading = seed % 2 === 0 ? ['a heading', ''] : [];
      const height = 14 + below(20);
      const text: string[] = [];
      const transcript = new Transcript();
      let seconds = 0;
      const show = (from: number) => {
        const rows = text.slice(from, from + height);
        const blanks = Array.from({ length: height - rows.length }, () => '');
        const body = seed % 4 < 2 ? [...rows, ...blanks] : [...blanks, ...rows];
        const working = `* Working (${++seconds}s)`;
        transcript.show([...heading, ...body, working, ...composer], seconds);
      };
      const end = () => Math.max(0, text.length - height);
      for (let step = 0; step < 150; step++) {
        const row = ['}', '', '  return value;'][below(9)] ?? `row ${seed}_${step} with some words`;
        if (random() < 0.9) {
          // A row grows word by word, or several come at once.
          const words = row.split(' ');
          const parts = random() < 0.5 ? [words.length] : [1, 3, words.length];
          text.push('');
          for (const count of parts) {
            text[text.length - 1] = words.slice(0, count).join(' ');
            show(end());
          }
          for (let more = below(5); more > 0; more--) text.push(`burst ${seed}_${step}_${more}`);
          show(end());
        } else {
          const up = 3 * (1 + below(4));
          for (let by = 3; by <= up; by += 3) show(Math.max(0, end() - by));
          for (let by = up - 3; by >= 0; by -= 3) show(Math.max(0, end() - by));
        }
      }
      const isText = (each: string) => each.trim() !== '';
      expect(
        transcript
          .rows()
          .map((each) => each.text)
          .filter(isText),
      ).toEqual([...heading, ...text].filter(isText));
    },
  );
});
