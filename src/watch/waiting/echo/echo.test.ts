import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defined, encodeUtf8 } from '#base';
import type { WaitRequest, WaitResult } from '#model';
import { markNow, type WaitContext, waitFor } from '#watch';
import { chunksOf } from '../../../../test/support/chunks.ts';
import { runs } from '../../../../test/support/run/runs.ts';
import { fakeSession, fakeTerminal } from '../../../../test/support/session/fake-session.ts';
import { integratedShell, shellMark } from '../../../../test/support/session/shell-marks.ts';
import { WatchedTerminal } from '../../../../test/support/session/watched-terminal.ts';
import { VirtualClock } from '../../../../test/support/virtual-clock.ts';

interface Typed {
  /** What the screen shows before. */
  readonly before?: string;
  readonly input: string;
  /** Output after the input, in chunks. */
  readonly output: readonly (string | Uint8Array)[];
  readonly match: string;
  readonly raw?: boolean;
  readonly context?: WaitContext;
}

const size = { cols: 40, rows: 8 };

/** Waits for the output of an input in a terminal without shell marks. */
async function waitUnmarked(typed: Typed, passMs = 1_000): Promise<WaitResult> {
  const clock = new VirtualClock();
  const watched = new WatchedTerminal(size);
  watched.output(typed.before ?? '$ ');
  const request: WaitRequest = {
    since: markNow(watched),
    match: [typed.match],
    raw: typed.raw ?? false,
    timeoutMs: 1_000,
  };
  const context = { sendsInput: true, ...typed.context };
  const result = waitFor(watched, request, clock, context);
  watched.noteInput(encodeUtf8(typed.input));
  for (const chunk of typed.output) {
    watched.output(chunk);
    await Promise.resolve();
    await Promise.resolve();
  }
  clock.advance(passMs);
  clock.settleIo();
  clock.advance(1_000);
  clock.settleIo();
  return result;
}

const outcomeOf = ({ outcome, inEcho, elapsedMs, match }: WaitResult) => ({
  outcome,
  ...defined({ inEcho: inEcho || undefined }),
  ...(outcome === 'matched' ? { elapsedMs, line: match?.line } : {}),
});

const matched = (line: number | null, elapsedMs = 0) => ({ outcome: 'matched', elapsedMs, line });
const echoOnly = { outcome: 'timed_out', inEcho: true };
const never = { outcome: 'timed_out' };

describe('a wait that sends input, without shell marks', () => {
  const line = 'sleep 2; echo DONE';

  it.each<[string, Typed, object]>([
    [
      'ignores the echo of the terminal',
      { input: `${line}\r`, output: [`${line}\r\n`], match: 'DONE' },
      echoOnly,
    ],
    [
      'matches the output after the echo',
      { input: `${line}\r`, output: [`${line}\r\n`, 'DONE\r\n$ '], match: 'DONE' },
      matched(1),
    ],
    [
      'matches output that arrives with the echo',
      { input: 'echo DONE\r', output: ['echo DONE\r\nDONE\r\n$ '], match: 'DONE' },
      matched(1),
    ],
    [
      'ignores the echo in pieces',
      { input: `${line}\r`, output: ['sl', 'eep 2; ec', 'ho DON', 'E', '\r\n'], match: 'DONE|DON' },
      echoOnly,
    ],
    [
      'counts the line of `cat` but not the echo',
      { before: '', input: 'hello\r', output: ['hello\r\n', 'hello\r\n'], match: '^hello$' },
      matched(1),
    ],
    [
      'counts the line of `cat` in the chunk of the echo',
      { before: '', input: 'hello\r', output: ['hello\r\nhello\r\n'], match: 'hello' },
      matched(1),
    ],
    [
      'ignores a match across the prompt and the echo',
      { input: 'make\r', output: ['make\r\n'], match: '\\$ make$' },
      echoOnly,
    ],
    [
      'matches across the echo and output behind it',
      { before: 'go? ', input: 'y', output: ['y', ' ok\r\n'], match: 'y ok' },
      matched(0),
    ],
    [
      'ignores an echo behind other output',
      { before: '', input: `${line}\r`, output: ['tick\r\n', `tick ${line}\r\n`], match: 'DONE' },
      echoOnly,
    ],
    [
      'ignores echo with colours, and echo that is drawn again',
      {
        input: `${line}\r`,
        output: [
          'sl',
          '\b\b\x1b[32msleep\x1b[m 2; echo DON',
          `\r\x1b[K$ \x1b[32msleep\x1b[m 2; \x1b[32mecho\x1b[m DONE`,
          '\r\n',
        ],
        match: 'DONE',
      },
      echoOnly,
    ],
    [
      'ignores a suggestion behind the echo',
      {
        input: `${line}\r`,
        output: ['s\x1b[90mleep 9; echo DONE\x1b[m', `\r$ ${line}\x1b[K`, '\r\n'],
        match: 'DONE',
      },
      echoOnly,
    ],
    [
      'ignores echo over several rows',
      {
        input: 'echo 0123456789 0123456789 0123456789 DONE\r',
        output: ['echo 0123456789 0123456789 0123456789 DONE\r\n'],
        match: 'DONE',
      },
      echoOnly,
    ],
    [
      'ignores echo that the line editor breaks',
      {
        input: 'echo 0123456789 0123456789 01234567 DONE\r',
        output: ['echo 0123456789 0123456789 01234567', '\r\nDONE\r\n'],
        match: 'DONE',
      },
      echoOnly,
    ],
    [
      'ignores the echo of each line',
      {
        input: 'echo one\recho two\r',
        output: ['echo one\r\necho two\r\none\r\n$ two\r\n$ '],
        match: '^two$|echo \\w+',
      },
      echoOnly,
    ],
    [
      'ignores the echo of control characters',
      { before: '', input: 'abc\x03', output: ['abc^C\r\n'], match: '\\^C|abc' },
      echoOnly,
    ],
    [
      'finds the echo without its control characters',
      {
        input: '\x1b[200~echo DONE\x1b[201~\r',
        output: ['\x1b[7mecho DONE\x1b[m\r\n'],
        match: 'DONE',
      },
      echoOnly,
    ],
    [
      'counts text that equals only a part of the echo',
      { input: 'echo DONE\r', output: ['echo DONE\r\n', 'DONE', '\r\n'], match: 'DONE' },
      matched(1),
    ],
    [
      'counts text that the program prints instead of an echo',
      { input: 'secret\r', output: ['\r\nsecond try\r\n'], match: 'sec' },
      matched(1),
    ],
    [
      'counts text that begins like the echo, after a moment',
      { input: 'ready\r', output: ['re'], match: 're' },
      { ...matched(0, 300), inEcho: true },
    ],
    [
      'says that it may be the echo if a shell draws the line again behind its prompt',
      {
        before: '',
        input: 'echo DONE\r',
        output: ['echo DONE\r\n', 'other\r\n$ echo DONE'],
        match: 'DONE',
      },
      { ...matched(2, 300), inEcho: true },
    ],
    [
      'says that it may be the echo if a chat shows a message again',
      {
        before: '> ',
        input: 'say DONE\r',
        output: ['│ > say DONE │'.slice(4), '\r\x1b[K\x1b[2;1H> say DONE', '\x1b[4;1H> '],
        match: 'DONE',
      },
      { ...matched(1, 300), inEcho: true },
    ],
    [
      'prefers the output to such a line',
      {
        before: '',
        input: 'echo DONE\r',
        output: ['echo DONE\r\n', 'other\r\n$ echo DONE', '\r\nDONE\r\n$ '],
        match: 'DONE',
      },
      matched(3),
    ],
    [
      'says that it may be the echo on the alternate screen',
      { before: '\x1b[?1049h', input: 'ihello', output: ['\x1b[Hhello'], match: 'hel' },
      { ...matched(null, 300), inEcho: true },
    ],
    [
      'counts other text on the alternate screen at once',
      {
        before: '\x1b[?1049h',
        input: ':w\r',
        output: [':w', '\r"x" 1L written'],
        match: 'written',
      },
      matched(null),
    ],
    [
      'matches no output from before the input',
      { before: 'DONE\r\n$ ', input: `${line}\r`, output: [`${line}\r\n`], match: '^DONE' },
      never,
    ],
    [
      'ignores the echo in raw output',
      {
        input: `${line}\r`,
        output: ['sleep 2; ', 'echo DONE\r\n'],
        match: 'DONE\\r\\n|DONE',
        raw: true,
      },
      matched(null),
    ],
    [
      'ignores the echo of the same line twice in raw output',
      {
        input: 'make DONE\rmake DONE\r',
        output: ['make DONE\r\n', 'make DONE\r\n'],
        match: 'DONE',
        raw: true,
      },
      never,
    ],
  ])('%s', async (_what, typed, result) => {
    expect(outcomeOf(await waitUnmarked(typed))).toEqual(result);
  });

  it('counts a program that prints its input if the terminal does not echo', async () => {
    const evidence = { canonical: true, echo: false };
    const activity = async () => ({ evidence }) as never;
    const typed = {
      input: 'hello\r',
      output: ['hello', '!'],
      match: 'hello',
      context: { activity },
    };
    expect(outcomeOf(await waitUnmarked(typed))).toEqual(matched(0));
  });

  describe.each([0, 1, 2])(
    'over rows that the line editor breaks, row %i of which matches',
    (row) => {
      const rows = ['$ ', '', ''].map((before, at) =>
        `${before}${at === row ? ' DONE ' : ''}`.padEnd(size.cols, 'x'),
      );
      const text = [...rows, '; echo DONE'].join('').slice('$ '.length);
      const line = `${text}\r`;
      // What zsh writes: a blank behind a row and the first character of the next one move the cursor there.
      const drawn = text.replace(/(?<=^.{38}|^.{78}|^.{118})./g, ' \r\x1b[K$&\r$&');
      const output = '\r\nDONE\r\n$ ';

      it.each<[string, Typed]>([
        ['the echo', { input: line, output: [drawn, output], match: 'DONE' }],
        [
          'a line that was typed ahead and is drawn again',
          {
            before: '',
            input: line,
            output: [`${line}\n`, `no\r\n$ ${drawn}`, output],
            match: 'DONE',
          },
        ],
      ])('ignores %s, cut at any place', async (_what, typed) => {
        const bytes = encodeUtf8(typed.output.join(''));
        for (let at = 0; at < bytes.length; at++) {
          const result = await waitUnmarked({ ...typed, output: chunksOf(bytes, [at]) });
          expect({ at, text: result.match?.text, inEcho: result.inEcho }).toEqual({
            at,
            text: 'DONE',
          });
        }
      });
    },
  );

  it('finds the same for any chunking, never early and never missed', async () => {
    const words = fc.constantFrom('DONE', 'echo DONE', 'sleep 1; echo DONE', 'x DONE y', 'DO', 'é');
    const property = fc.asyncProperty(
      words,
      fc.array(fc.constantFrom('one\r\n', 'two', '\r\n', 'DO NE', '漢'), { maxLength: 4 }),
      fc.boolean(),
      fc.array(fc.nat({ max: 80 }), { maxLength: 8 }),
      async (input, other, prints, at) => {
        const output = `${input}\r\n${other.join('')}\r\n${prints ? 'is DONE now\r\n' : ''}$ `;
        const pieces = chunksOf(encodeUtf8(output), at);
        const result = await waitUnmarked({ input: `${input}\r`, output: pieces, match: 'DONE' });
        if (prints) {
          expect(result).toMatchObject({
            outcome: 'matched',
            match: { text: expect.stringMatching(/is DONE/) },
          });
          expect(result.inEcho).toBeUndefined();
        } else expect(result.outcome).toBe('timed_out');
      },
    );
    await fc.assert(property, runs(200));
  });
});

const prompt = `${shellMark('A')}$ ${shellMark('B')}`;
const start = shellMark('C');
const end = shellMark('D;0');

async function waitMarked(typed: Typed): Promise<WaitResult> {
  const { session, pty, clock } = fakeSession(
    { id: 'id1', ...integratedShell },
    fakeTerminal(size),
  );
  pty.output(encodeUtf8(typed.before ?? prompt));
  const { view } = session;
  const request = { since: markNow(view), match: [typed.match], timeoutMs: 1_000 };
  const result = waitFor(view, request, clock, { sendsInput: true });
  view.noteInput(encodeUtf8(typed.input));
  for (const chunk of typed.output)
    pty.output(typeof chunk === 'string' ? encodeUtf8(chunk) : chunk);
  clock.advance(1_000);
  clock.settleIo();
  return result;
}

describe('a wait that sends input to a shell that marks its commands', () => {
  it.each<[string, Typed, object]>([
    [
      'ignores all text up to the start of the command',
      {
        input: 'gco\r',
        output: ['gco', '\r\x1b[2C\x1b[Kgit checkout', '\r\n', `${start}`],
        match: 'checkout',
      },
      echoOnly,
    ],
    [
      'counts text after it, even if it equals the line',
      { input: 'x\r', output: ['x\r\n', `${start}x\r\n`], match: 'x' },
      matched(1),
    ],
    [
      'counts output in one chunk with the echo',
      {
        input: 'echo DONE\r',
        output: [`echo DONE\r\n${start}DONE\r\n${end}${prompt}`],
        match: 'DONE',
      },
      matched(1),
    ],
    [
      'ignores the echo of a line typed ahead, twice',
      {
        before: `${prompt}sleep 1\r\n${start}`,
        input: 'echo DONE\r',
        output: ['echo DONE\r\n', `${end}${prompt}`, 'echo DONE', '\r\n', `${start}ready\r\n`],
        match: 'DONE|ready',
      },
      matched(3),
    ],
    [
      'ignores the echo of a line typed ahead, twice in one chunk',
      {
        before: `${prompt}sleep 1\r\n${start}`,
        input: 'echo DONE\r',
        output: [`echo DONE\r\n${end}${prompt}echo DONE\r\n${start}`, 'ready\r\n'],
        match: 'DONE|ready',
      },
      matched(3),
    ],
    [
      'counts an error for which no command begins',
      {
        input: 'if then\r',
        output: ['if then\r\n', "syntax error near `then'\r\n", prompt],
        match: 'then',
      },
      matched(1),
    ],
    [
      'counts what is drawn over the typed line',
      {
        before: prompt,
        input: 'top\r',
        output: [`top\r\n${start}`, '\x1b[H\x1b[2Jtop - 1 user, load average DONE'],
        match: 'DONE',
      },
      matched(0),
    ],
    [
      'counts what is drawn over the typed line, in the chunk of its echo',
      {
        input: 'clear; cat x\r',
        output: [`clear; cat x\r\n${start}\x1b[H\x1b[Jaaaaaa ERROR aaaaaa\r\n`],
        match: 'ERROR',
      },
      matched(0),
    ],
    [
      'counts what is printed behind the typed line',
      {
        input: 'x\r',
        output: [`x\r\n${start}`, '\x1b[A\x1b[9CDONE'],
        match: 'DONE',
      },
      matched(0),
    ],
    [
      'ignores the typed line although output is drawn above',
      {
        before: `one\r\n${prompt}`,
        input: 'echo DONE\r',
        output: [`echo DONE\r\n${start}`, '\x1b[2Atwo\x1b[2B\r'],
        match: 'DONE',
      },
      echoOnly,
    ],
    [
      'counts a completion',
      { input: 'git sta\t', output: ['git sta', 'tus '], match: 'git status' },
      matched(0),
    ],
    [
      'counts a line of the history',
      { input: '\x1b[A', output: ['make all'], match: 'make' },
      matched(0),
    ],
    [
      'counts output of a background command at the next prompt',
      {
        input: '(sleep 1; echo BG) &\r',
        output: [`(sleep 1; echo BG) &\r\n${start}[1] 42\r\n${end}${prompt}`, 'BG\r\n'],
        match: 'BG$',
      },
      matched(2),
    ],
    [
      'ignores the lines of a command with continuation prompts',
      {
        input: 'for i in 1 2\rdo echo $i DONE\rdone\r',
        output: [
          'for i in 1 2\r\n',
          `${shellMark('A;k=c')}> ${shellMark('B')}do echo $i DONE\r\n`,
          `${shellMark('A;k=c')}> ${shellMark('B')}done\r\n`,
          `${start}1 DONE\r\n`,
        ],
        match: 'DONE',
      },
      matched(3),
    ],
    [
      'ignores the text of a suggestion until Enter is read',
      {
        input: 'ma\r',
        output: ['ma\x1b[90mke DONE\x1b[m', '\x1b[K\r\n', `${start}`],
        match: 'DONE',
      },
      echoOnly,
    ],
  ])('%s', async (_what, typed, result) => {
    expect(outcomeOf(await waitMarked(typed))).toEqual(result);
  });
});

it('is exact for a shell that marks its commands, in any chunking', async () => {
  const lines = fc.constantFrom('DONE', 'echo DONE', 'x DONE y; DO', 'sleep 1; echo "DONE"');
  const drawn = fc.constantFrom('', '\b', '\r\x1b[K$ ', '\x1b[90m DONE\x1b[m\b\b\b\b\b');
  const property = fc.asyncProperty(
    lines,
    drawn,
    fc.boolean(),
    fc.array(fc.nat({ max: 120 }), { maxLength: 8 }),
    async (input, redrawn, prints, at) => {
      const output = `${input}${redrawn}\r\n${start}${prints ? 'DONE\r\n' : 'no\r\n'}${end}${prompt}`;
      const pieces = chunksOf(encodeUtf8(output), at);
      const result = await waitMarked({ input: `${input}\r`, output: pieces, match: 'DONE' });
      if (prints) expect(outcomeOf(result)).toEqual(matched(1));
      else expect(result.outcome).toBe('timed_out');
    },
  );
  await fc.assert(property, runs(200));
});

it('takes bounded time on hostile output', async () => {
  const input = 'a'.repeat(16_000);
  const output = Array.from({ length: 20 }, () => `${'a'.repeat(15_000)}b\r\n`);
  const started = process.cpuUsage().user;
  await waitUnmarked({ input: `${input}\r`, output, match: 'DONE' });
  await waitMarked({ input: 'a$\r'.repeat(5_000), output, match: 'DONE' });
  expect(process.cpuUsage().user - started).toBeLessThan(20_000_000);
});

it('ignores a line that was typed before and is drawn again by Enter', async () => {
  for (const [output, outcome] of [
    ['\r$ echo DONE\r\n', 'timed_out'],
    ['\r$ echo DONE\r\nDONE\r\n', 'matched'],
  ]) {
    const clock = new VirtualClock();
    const watched = new WatchedTerminal(size);
    watched.output('$ ');
    watched.noteInput(encodeUtf8('echo DONE'));
    watched.output('echo DONE');
    const request = { since: markNow(watched), match: ['DONE'], timeoutMs: 1_000 };
    const result = waitFor(watched, request, clock, { sendsInput: true });
    watched.noteInput(encodeUtf8('\r'));
    watched.output(output as string);
    clock.advance(2_000);
    expect((await result).outcome).toBe(outcome);
  }
});

describe('a wait since the mark of an input', () => {
  it.each<[string, string, object]>([
    ['ignores the echo', 'sleep 2; echo DONE\r\n', never],
    ['finds output that is there', 'sleep 2; echo DONE\r\nDONE\r\n$ ', matched(1)],
  ])('%s', async (_what, output, result) => {
    const clock = new VirtualClock();
    const watched = new WatchedTerminal(size);
    watched.output('$ ');
    const since = markNow(watched);
    watched.noteInput(encodeUtf8('sleep 2; echo DONE\r'));
    watched.output(output);
    const waiting = waitFor(watched, { since, match: ['DONE'], timeoutMs: 500 }, clock);
    clock.advance(500);
    const { inEcho: _, ...rest } = await waiting;
    expect(outcomeOf(rest)).toEqual(result);
  });

  it('does not ignore input that others send later, nor without a mark', async () => {
    const clock = new VirtualClock();
    const watched = new WatchedTerminal(size);
    const results = [markNow(watched), undefined].map((since) =>
      waitFor(watched, { ...defined({ since: since || undefined }), match: ['DONE'] }, clock),
    );
    watched.noteInput(encodeUtf8('DONE\r'));
    watched.output('DONE\r\n');
    for (const result of results) expect((await result).outcome).toBe('matched');
  });
});
