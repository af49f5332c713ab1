import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { defined, encodeUtf8 } from '#base';
import type { WaitRequest } from '#model';
import { markNow, waitFor } from '#watch';
import { WatchedTerminal } from '../../../test/support/session/watched-terminal.ts';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';

const size = { cols: 40, rows: 8 };
const alternate = '\x1b[?1049h';
const focus = '\x1b[?1004h';

/** A frame as Codex draws it: each row is erased, and then its words are placed. */
const frame = (rows: readonly string[]): string =>
  `\x1b[?2026h${rows.map((_, row) => `\x1b[${row + 1};1H\x1b[K`).join('')}${rows
    .map((text, row) => `\x1b[${row + 1};1H${text}`)
    .join('')}\x1b[?2026l`;
/** As a program without synchronized output draws it. */
const cleared = (rows: readonly string[]): string => `\x1b[H\x1b[2J${rows.join('\r\n')}`;
/** As ink does: erases what it has drawn, row by row upwards, and prints it again. */
const inked = (count: number, rows: readonly string[]): string =>
  `${'\x1b[2K\x1b[1A'.repeat(count)}\x1b[2K\x1b[G${rows.map((row) => `${row}\r\n`).join('')}`;

const composer = ['', '> Ask', '  ? for help'];
const before = ['> say 1', '', '- REPLY 1', '', ...composer];
/** The transcript has moved up by three rows. */
const working = ['- REPLY 1', '', '> say 2', '', '- Working', ...composer];
const replied = ['- REPLY 1', '', '> say 2', '', '- REPLY 2', ...composer];

/** Output in pieces, and the time between them in ms. */
type Step = string | number;

async function outcomeOf(start: string, steps: readonly Step[], request: WaitRequest = {}) {
  const clock = new VirtualClock();
  const watched = new WatchedTerminal(size);
  watched.output(start);
  const match = request.match ?? ['REPLY.*'];
  const wait = { since: markNow(watched), match, timeoutMs: 10_000, ...request };
  const waiting = waitFor(watched, wait, clock, { sendsInput: true });
  let at = 0;
  let ended: number | null = null;
  waiting.then(
    () => {
      ended = at;
    },
    () => {},
  );
  for (const step of steps) {
    if (typeof step === 'number') clock.advance(step);
    else watched.output(step);
    await new Promise(setImmediate);
    if (ended !== null) break;
    at++;
  }
  clock.advance(20_000);
  clock.settleIo();
  const { outcome, match: hit, redrawn } = await waiting;
  if (outcome === 'timed_out') return { outcome };
  return { outcome, matched: hit?.matched, ended, ...defined({ redrawn: redrawn || undefined }) };
}

const never = { outcome: 'timed_out' };
const matched = (text: string, ended: number) => ({ outcome: 'matched', matched: text, ended });

describe('a wait does not match text that is drawn again', () => {
  it.each<[string, string, readonly Step[]]>([
    ['on the alternate screen, moved up', alternate + frame(before), [frame(working)]],
    [
      'of which only the characters that differ are printed',
      alternate + frame(['- REPLY 1', '', '- REPLY 2', '', ...composer]),
      ['\x1b[?2026h\x1b[1;9H2\x1b[3;9H\x1b[K\x1b[?2026l'],
    ],
    ['at the same place', alternate + frame(before), [frame(before), frame(before)]],
    ['after the screen was cleared', alternate + cleared(before), [cleared(working)]],
    [
      'by a scroll of the terminal, whose rows are printed again',
      alternate + frame(before),
      ['\x1b[1;5r\x1b[5;1H\n\n\x1b[r', frame(working)],
    ],
    [
      'in pieces',
      alternate + cleared(before),
      [...cleared(working)].flatMap((char): Step[] => [char, 1]),
    ],
    [
      'beside a spinner',
      alternate + frame(['- REPLY 1      |', ...composer]),
      [frame(['- REPLY 1      /', ...composer]), frame(['- REPLY 1      -', ...composer])],
    ],
    [
      'beside a scroll bar that moves',
      alternate +
        frame(['a               \u2588', '- REPLY 1 more  \u2502', 'b               \u2502']),
      [frame(['- REPLY 1 more  \u2588', 'b               \u2502', 'c               \u2502'])],
    ],
    [
      'in one of two panes',
      alternate + frame(['a        \u2502- REPLY 1', 'b        \u2502']),
      [frame(['a        \u2502', 'c        \u2502- REPLY 1'])],
    ],
    [
      'by a program that asks for focus reports and clears the primary screen',
      focus + before.join('\r\n'),
      [`\x1b[2J\x1b[3J\x1b[H${working.join('\r\n')}`],
    ],
    [
      'that was above the screen, by such a program',
      `${focus}- REPLY 0\r\n${'\r\n'.repeat(12)}${before.join('\r\n')}`,
      [`\x1b[2J\x1b[3J\x1b[H- REPLY 0\r\n${'\r\n'.repeat(12)}${working.join('\r\n')}`],
    ],
    [
      'by a program that erases the rows below its output and prints them again',
      `${before.join('\r\n')}\r\n`,
      [inked(7, before), inked(7, ['> say 1', ...before])],
    ],
  ])('%s', async (_what, start, steps) => {
    expect(await outcomeOf(start, steps)).toEqual(never);
  });

  it('and ends with the new text', async () => {
    expect(
      await outcomeOf(alternate + frame(before), [frame(working), 500, frame(replied)]),
    ).toEqual(matched('REPLY 2', 2));
  });

  it.each(['codex', 'claude-code'])('in a recording of %s', async (program) => {
    const file = new URL(`../../../test/golden/repaints/${program}.json`, import.meta.url);
    const { reply, screen, output } = JSON.parse(readFileSync(file, 'utf8'));
    const clock = new VirtualClock();
    const watched = new WatchedTerminal({ cols: 100, rows: 30 });
    watched.output(alternate + frame(screen));
    const request = { since: markNow(watched), match: ['REPLY.*'] };
    const waiting = waitFor(watched, request, clock, { sendsInput: true });
    watched.noteInput(encodeUtf8('say something'));
    for (const bytes of output) {
      watched.outputByFrames(encodeUtf8(bytes));
      clock.advance(50);
    }
    const { outcome, match, redrawn, output: shown } = await waiting;
    expect([outcome, match?.matched, redrawn]).toEqual(['matched', reply, undefined]);
    // The output has the new rows only.
    expect(shown.tail.match(/REPLY.*/g)).toEqual([reply]);
  });

  it('nor stops at it', async () => {
    const request = { match: ['REPLY 2'], stop: ['REPLY 1'] };
    const steps = [frame(working), frame(replied)];
    expect(await outcomeOf(alternate + frame(before), steps, request)).toEqual(
      matched('REPLY 2', 1),
    );
  });

  it('since a mark from before the output', async () => {
    const clock = new VirtualClock();
    for (const [rows, outcome] of [
      [working, 'timed_out'],
      [replied, 'matched'],
    ] as const) {
      const watched = new WatchedTerminal(size);
      watched.output(alternate + frame(before));
      const since = markNow(watched);
      watched.output(frame(rows));
      const waiting = waitFor(watched, { since, match: ['REPLY.*'], timeoutMs: 0 }, clock);
      clock.advance(0);
      clock.settleIo();
      expect(await waiting).toMatchObject({
        outcome,
        ...(outcome === 'matched' && { match: { matched: 'REPLY 2' } }),
      });
    }
  });
});

describe('a wait matches text that equals earlier text', () => {
  it.each<[string, string, readonly Step[], object]>([
    [
      'a shell prints again',
      '$ make\r\nDONE\r\n$ ',
      ['make\r\n', 'DONE\r\n$ '],
      matched('DONE', 1),
    ],
    [
      'a shell prints after clear',
      '$ make\r\nDONE\r\n$ ',
      ['clear; make\r\n', '\x1b[H\x1b[2J\x1b[3J', 'DONE\r\n$ '],
      matched('DONE', 2),
    ],
    [
      'a shell prints after clear, in one chunk',
      '$ make\r\nDONE\r\n$ ',
      ['clear; make\r\n\x1b[H\x1b[2J\x1b[3JDONE\r\n$ '],
      matched('DONE', 0),
    ],
    [
      'a build prints below progress rows that it draws again',
      'DONE\r\none 1%\r\ntwo 1%\r\n',
      [
        '\x1b[2A\x1b[Kone 2%\r\n\x1b[Ktwo 2%\r\n',
        '\x1b[2A\x1b[Kone 3%\r\n\x1b[Ktwo 3%\r\nDONE\r\n',
      ],
      matched('DONE', 1),
    ],
    [
      'a full-screen program shows once more',
      alternate + frame(['DONE', 'x', ...composer]),
      [frame(['DONE', 'x', 'DONE', ...composer])],
      matched('DONE', 0),
    ],
    [
      'scrolls in at the bottom of a screen of equal rows',
      `${alternate}${'DONE\r\n'.repeat(7)}DONE`,
      ['\r\n', 'DONE'],
      matched('DONE', 1),
    ],
    [
      'scrolls in while that before leaves the screen',
      `${alternate}DONE\r\n1\r\n2\r\n3\r\n4\r\n5\r\n6\r\n7`,
      ['\r\nDONE'],
      matched('DONE', 0),
    ],
    [
      'is drawn below while that above leaves the screen',
      alternate + frame(['DONE', 'a', 'b', 'c']),
      [frame(['a', 'b', 'c', 'DONE'])],
      { ...matched('DONE', 0), redrawn: true },
    ],
    [
      'is shown again after a frame without it',
      alternate + frame(['DONE', ...composer]),
      [frame(['Working', ...composer]), 2_000, frame(['DONE', ...composer])],
      matched('DONE', 2),
    ],
    [
      'is shown again soon after a frame without it',
      alternate + frame(['DONE', ...composer]),
      [frame(['Working', ...composer]), 500, frame(['DONE', ...composer])],
      { ...matched('DONE', 2), redrawn: true },
    ],
    [
      'appears in another pane of its row',
      alternate + frame(['DONE  \u2502 x', ...composer]),
      [frame(['DONE  \u2502 DONE!', ...composer])],
      matched('DONE', 0),
    ],
    [
      'is shown on the alternate screen',
      'DONE\r\n',
      [`${alternate}\x1b[HDONE`],
      matched('DONE', 0),
    ],
  ])('that %s', async (_what, start, steps, expected) => {
    expect(await outcomeOf(start, steps, { match: ['DONE'] })).toEqual(expected);
  });
});
