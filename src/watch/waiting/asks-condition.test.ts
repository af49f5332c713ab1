import { describe, expect, it, vi } from 'vitest';
import { encodeUtf8 } from '#base';
import {
  type ActivityEvidence,
  type ActivityState,
  noEvidence,
  type OwnActivity,
  type WaitRequest,
} from '#model';
import { waitFor } from '#watch';
import { WatchedTerminal } from '../../../test/support/session/watched-terminal.ts';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';
import { questionAsked } from './asked-question.ts';

/** A session whose activity a test sets, and which counts the queries. */
class Asked {
  readonly clock = new VirtualClock();
  readonly watched = new WatchedTerminal(
    { cols: 40, rows: 8 },
    undefined,
    'session1',
    100,
    this.clock,
  );
  queries = 0;
  state: ActivityState = 'running';
  evidence: Partial<ActivityEvidence> = { readingTerminal: false };
  isBlocked = false;
  /** Called while a query is open. */
  during: () => void = () => {};

  wait(request: WaitRequest = {}) {
    const options = { asks: true, timeoutMs: 60_000, ...request };
    return waitFor(this.watched, options, this.clock, { activity: () => this.activity() });
  }

  /** Advances the time in steps in which queries are answered. */
  async pass(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= 50) {
      this.clock.advance(Math.min(50, left));
      this.clock.settleIo();
      await this.answered();
    }
  }

  async answered(): Promise<void> {
    for (let turn = 0; turn < 5; turn++) await Promise.resolve();
  }

  async activity(): Promise<OwnActivity> {
    this.queries++;
    const { state, isBlocked } = this;
    const evidence: ActivityEvidence = {
      ...noEvidence,
      ...this.evidence,
    };
    this.during();
    const { revision } = this.watched.terminal;
    return { state, evidence, isBlocked, sinceMs: 0, revision };
  }

  /** The program asks, and the system reports that it reads its terminal. */
  ask(text: string, state: ActivityState = 'awaiting_input'): void {
    this.watched.output(text);
    this.state = state;
    this.evidence = { readingTerminal: true };
  }

  input(): void {
    this.watched.noteInput(encodeUtf8('x'));
  }
}

describe('a wait for a program that asks', () => {
  it('ends after a second of silence if the program also waits for something else', async () => {
    const fixture = new Asked();
    const result = fixture.wait();
    fixture.ask('package name: ');
    fixture.evidence = { readingTerminal: null, alsoWaits: true, unfinishedLine: true };
    await fixture.pass(2_000);
    expect(await result).toMatchObject({ outcome: 'awaiting_input', question: 'package name:' });
    expect((await result).elapsedMs).toBeGreaterThanOrEqual(1_000);
  });

  it('leaves nothing behind if the same output ends the wait otherwise', async () => {
    const fixture = new Asked();
    const result = fixture.wait({ match: ['done'], prompt: true });
    fixture.watched.output('begun');
    await fixture.pass(1_000);
    fixture.watched.output('done');
    expect((await result).outcome).toBe('matched');
    fixture.clock.settleIo();
    expect(fixture.clock.pending).toBe(0);
  });

  it('ends after 300 ms of silence with the question', async () => {
    const fixture = new Asked();
    const result = fixture.wait();
    await fixture.pass(200);
    fixture.ask('\x1b[1mName?\x1b[m ');
    await fixture.pass(1_000);
    expect(await result).toMatchObject({
      outcome: 'awaiting_input',
      question: 'Name?',
      elapsedMs: 500,
    });
  });

  it.each([0, 200, 1_000, 5_000])(
    'ends soon after the question, %d ms after it began, if nothing but input continues the program',
    async (ms) => {
      const fixture = new Asked();
      const result = fixture.wait();
      await fixture.pass(ms);
      fixture.ask('Name? ');
      fixture.isBlocked = true;
      await fixture.pass(1_000);
      const { outcome, elapsedMs } = await result;
      expect(outcome).toBe('awaiting_input');
      expect(elapsedMs - ms).toBeLessThanOrEqual(50);
    },
  );

  it.each([
    ["the session's own program, before any input", {}, false, 50],
    ['one that reads whole lines, after a line', { canonical: true }, true, 50],
    ['one that may be a shell with a line editor, after a line', { canonical: false }, true, 300],
    [
      'a shell that may have ended its command',
      { canonical: false, shellMark: 'command' },
      true,
      300,
    ],
    ['a command of a shell', { canonical: true, shellMark: 'command' }, true, 50],
  ] as const)('ends when it is safe: %s', async (_, evidence, hasInput, limitMs) => {
    const fixture = new Asked();
    if (hasInput) fixture.input();
    const result = fixture.wait();
    fixture.ask('Name? ');
    fixture.isBlocked = true;
    fixture.evidence = { readingTerminal: true, leaderInForeground: true, ...evidence };
    await fixture.pass(1_000);
    expect((await result).elapsedMs).toBe(limitMs);
  });

  it('does not end while a program prints, computes and prints again', async () => {
    const fixture = new Asked();
    const result = fixture.wait({ timeoutMs: 10_000 });
    for (let line = 0; line < 100; line++) {
      fixture.watched.output(`${line}\r\n`);
      await fixture.pass(100);
    }
    await fixture.pass(1_000);
    expect((await result).outcome).toBe('timed_out');
    expect(fixture.queries).toBeLessThanOrEqual(43);
  });

  it('needs more silence until something is printed after an input', async () => {
    const fixture = new Asked();
    fixture.ask('Password:', 'password');
    fixture.isBlocked = true;
    fixture.input();
    const result = fixture.wait();
    await fixture.pass(1_000);
    expect(await result).toMatchObject({ outcome: 'password', elapsedMs: 300 });
  });

  it.each<[ActivityState, Partial<ActivityEvidence>, string, number]>([
    ['password', { readingTerminal: true }, 'password', 300],
    ['full_screen', { readingTerminal: true }, 'awaiting_input', 300],
    ['at_prompt', { readingTerminal: true }, 'prompt', 300],
    ['at_prompt', { readingTerminal: null, promptPattern: true }, 'prompt', 1_300],
    ['awaiting_input', { readingTerminal: null, promptPattern: true }, 'awaiting_input', 1_300],
    ['running', { readingTerminal: null, promptPattern: true }, 'awaiting_input', 1_300],
    ['password', { readingTerminal: null }, 'password', 1_300],
    ['running', { readingTerminal: null }, 'timed_out', 5_000],
    ['running', { readingTerminal: false }, 'timed_out', 5_000],
    ['running', { readingTerminal: false, promptPattern: true }, 'timed_out', 5_000],
    ['full_screen', { readingTerminal: null, promptPattern: true }, 'timed_out', 5_000],
  ])(
    'in state %s with %o ends with %s after %s ms',
    async (state, evidence, outcome, elapsedMs) => {
      const fixture = new Asked();
      fixture.watched.output('50 %');
      Object.assign(fixture, { state, evidence });
      const result = fixture.wait({ timeoutMs: 5_000 });
      await fixture.pass(6_000);
      expect(await result).toMatchObject({ outcome, elapsedMs });
    },
  );

  const ofSsh = {
    alsoWaits: true,
    unfinishedLine: true,
    promptPattern: true,
    foreground: { pid: 7, name: 'ssh' },
  };

  it.each<[string, string, Partial<ActivityEvidence>, string, number, boolean | undefined]>([
    ['a question', 'name? ', { ...ofSsh, promptPattern: false }, 'awaiting_input', 1_300, true],
    ['a prompt', '>>> ', ofSsh, 'awaiting_input', 1_300, true],
    ['progress', 'Step 3/7 > ', ofSsh, 'awaiting_input', 10_300, true],
    ['what it does', 'Checking for updates? ', ofSsh, 'awaiting_input', 10_300, true],
    ['how to stop it', 'Waiting for x (ctrl-c to stop): ', ofSsh, 'awaiting_input', 10_300, true],
    ['a prompt of a line editor', '\x1b[?2004hStep 3/7 > ', ofSsh, 'awaiting_input', 1_300, true],
    [
      'a local question',
      'name? ',
      { alsoWaits: true, unfinishedLine: true },
      'awaiting_input',
      1_300,
      undefined,
    ],
    ['a read', 'Step 3/7 > ', { readingTerminal: true }, 'awaiting_input', 300, undefined],
  ])(
    'says whether only the text shows %s',
    async (_, text, evidence, outcome, elapsedMs, guess) => {
      const fixture = new Asked();
      fixture.watched.output(text);
      Object.assign(fixture, { state: 'awaiting_input', evidence });
      const result = fixture.wait();
      await fixture.pass(12_000);
      const { outcome: met, elapsedMs: ms, guess: isGuess } = await result;
      expect([met, ms, isGuess]).toEqual([outcome, elapsedMs, guess]);
    },
  );

  it.each([
    ['asks for keys', '\x1b[?1049h\x1b[?1h', 'awaiting_input'],
    ['asks for none', '\x1b[?1049h', 'timed_out'],
  ])('guesses that a full-screen program behind ssh waits if it %s', async (_, output, outcome) => {
    const fixture = new Asked();
    fixture.watched.output(output);
    Object.assign(fixture, {
      state: 'full_screen',
      evidence: { ...ofSsh, unfinishedLine: false, promptPattern: false },
    });
    const result = fixture.wait({ timeoutMs: 5_000 });
    await fixture.pass(6_000);
    expect((await result).outcome).toBe(outcome);
  });

  it.each([
    [
      'a field in a dialog',
      '┌──────────┐\r\n│ Name?    │\r\n│ Bob      │\r\n│   <Ok>   │\r\n└──────────┘\x1b[3;6H',
      'Name?',
    ],
    [
      'a choice in whose middle the cursor stands',
      '? Use it? (y/N) · false\x1b[1;14H',
      '? Use it? (y/N)',
    ],
  ])('reads the whole question of %s', async (_, output, question) => {
    const fixture = new Asked();
    const result = fixture.wait();
    fixture.ask(output);
    await fixture.pass(2_000);
    expect(await result).toMatchObject({ outcome: 'awaiting_input', question });
  });

  const menu = '\x1b[?25l Do it?\r\n ❯ 1. Yes\r\n   2. No\r\n\r\n Esc to cancel';
  const waitsForMore = { readingTerminal: null, alsoWaits: true };

  it('ends with the menu of a program that waits for much besides the terminal', async () => {
    const fixture = new Asked();
    const result = fixture.wait();
    Object.assign(fixture, { evidence: waitsForMore });
    fixture.watched.output(menu);
    await fixture.pass(2_000);
    expect(await result).toMatchObject({
      outcome: 'awaiting_input',
      question: 'Do it? > 1. Yes | 2. No',
      menu: { title: 'Do it?', options: ['1. Yes', '2. No'], selected: 0, keys: 'Esc to cancel' },
      elapsedMs: 300,
    });
  });

  it('does not end again with a menu that was answered and is still shown', async () => {
    const fixture = new Asked();
    Object.assign(fixture, { evidence: waitsForMore });
    fixture.watched.output(menu);
    await fixture.pass(1_000);
    fixture.input();
    const result = fixture.wait();
    await fixture.pass(600);
    fixture.watched.output('\x1b[2J\x1b[H working');
    await fixture.pass(60_000);
    expect((await result).outcome).toBe('timed_out');
  });

  it.each([80, 120, 400])(
    'does not end while a spinner turns every %d ms, and ends after it',
    async (ms) => {
      const fixture = new Asked();
      const result = fixture.wait();
      Object.assign(fixture, { state: 'awaiting_input', evidence: { readingTerminal: true } });
      for (let frame = 0; frame < 40; frame++) {
        fixture.watched.output(`\x1b[?25l\r${'◒◐◓◑'[frame % 4]}  Installing`);
        await fixture.pass(ms);
      }
      fixture.watched.output('\x1b[?25h\r◇  Installed\r\nName? ');
      await fixture.pass(2_000);
      const { question, elapsedMs } = await result;
      expect(question).toBe('Name?');
      expect(elapsedMs).toBeGreaterThanOrEqual(40 * ms);
    },
  );

  it('ends with a menu beside a spinner', async () => {
    const fixture = new Asked();
    const result = fixture.wait();
    Object.assign(fixture, { evidence: waitsForMore });
    fixture.watched.output(`\x1b[2;1H${menu}`);
    for (let frame = 0; frame < 40; frame++) {
      fixture.watched.output(`\x1b[1;1H${'⠋⠙⠹⠸'[frame % 4]} Working\x1b[8;1H`);
      await fixture.pass(100);
    }
    expect(await result).toMatchObject({ outcome: 'awaiting_input', menu: { title: 'Do it?' } });
  });

  it('does not end while a program that reads keys prints by itself', async () => {
    const fixture = new Asked();
    const result = fixture.wait();
    Object.assign(fixture, { evidence: { readingTerminal: false } });
    for (let line = 0; line < 20; line++) {
      fixture.watched.output(`update ${line}\r\n`);
      await fixture.pass(700);
      // It reads its terminal, once its pace is known.
      if (line === 3) fixture.evidence = { readingTerminal: true };
    }
    fixture.watched.output('Which port? ');
    await fixture.pass(1_000);
    expect(await result).toMatchObject({ question: 'Which port?', elapsedMs: 20 * 700 + 300 });
  });

  it('returns the whole question if it wraps, and its end if it is long', async () => {
    const fixture = new Asked();
    const result = fixture.wait();
    const question = 'Do you really want to remove all files? [y/N]';
    fixture.ask(`\r\n${question} `);
    await fixture.pass(300);
    expect((await result).question).toBe(question);
    const long = new Asked();
    const end = long.wait();
    long.ask('😀'.repeat(600));
    await long.pass(300);
    expect((await end).question).toBe('😀'.repeat(500));
  });

  it.each<[string, (fixture: Asked) => void, string]>([
    [
      'the last line above',
      (fixture) => fixture.ask('one\r\nOverwrite? (y/n)\r\n\r\n'),
      'Overwrite? (y/n)',
    ],
    [
      'a line printed since the last input',
      (fixture) => {
        fixture.watched.output('First? ');
        fixture.input();
        fixture.ask('x\r\nSecond?\r\n');
      },
      'Second?',
    ],
    [
      'no line from before the last input, and not its echo',
      (fixture) => {
        fixture.watched.output('First?\r\n');
        fixture.watched.noteInput(encodeUtf8('yes\nno\n'));
        fixture.ask('yes\r\nno\r\n');
      },
      '',
    ],
  ])('returns %s if nothing is left of the cursor', async (_what, print, question) => {
    const fixture = new Asked();
    const result = fixture.wait();
    print(fixture);
    await fixture.pass(400);
    expect((await result).question).toBe(question);
  });

  it.each([0, 3, 4, 5, 48, 49, 50])(
    'returns the last line above %i blank lines, of at most 50, and reads few others',
    async (blanks) => {
      const fixture = new Asked();
      fixture.ask(`${'before\r\n'.repeat(60)}Second?\r\n${'\r\n'.repeat(blanks)}`);
      const activity = await fixture.activity();
      const read = vi.spyOn(fixture.watched, 'lineTexts');
      const { question } = questionAsked(activity, 1_000, fixture.watched) ?? {};
      expect(question).toBe(blanks < 50 ? 'Second?' : '');
      const count = read.mock.calls.reduce((sum, [from, to]) => sum + to - from, 0);
      expect(count).toBeLessThanOrEqual(Math.min(50, blanks + 4));
    },
  );

  it('checks again after each second of silence, and after 300 ms once something changes', async () => {
    const fixture = new Asked();
    const result = fixture.wait();
    await fixture.pass(2_900);
    expect(fixture.queries).toBe(4);
    fixture.ask('? ');
    await fixture.pass(400);
    expect(await result).toMatchObject({ outcome: 'awaiting_input', elapsedMs: 3_200 });
  });

  it('does not take the state before an input for the one after it', async () => {
    const fixture = new Asked();
    fixture.ask('Password:', 'password');
    const result = fixture.wait();
    await fixture.pass(250);
    fixture.input();
    await fixture.pass(300);
    // The program has read the password, and prints nothing.
    fixture.state = 'running';
    fixture.evidence = { readingTerminal: false };
    await fixture.pass(10_000);
    fixture.ask('\r\nAgain:', 'password');
    await fixture.pass(500);
    expect(await result).toMatchObject({ outcome: 'password', question: 'Again:' });
  });

  it.each<[string, (fixture: Asked) => void]>([
    ['output', (fixture) => fixture.watched.output('more\r\n')],
    ['an input', (fixture) => fixture.input()],
  ])('ignores an answer that %s outdates', async (_what, happen) => {
    const fixture = new Asked();
    fixture.ask('? ');
    fixture.during = () => {
      fixture.during = () => {};
      happen(fixture);
      fixture.evidence = { readingTerminal: false };
    };
    const result = fixture.wait({ timeoutMs: 3_000 });
    await fixture.pass(4_000);
    expect((await result).outcome).toBe('timed_out');
  });

  it('does not take a line that was typed for an empty prompt', async () => {
    const fixture = new Asked();
    fixture.ask('$ ', 'at_prompt');
    fixture.input();
    const result = fixture.wait();
    await fixture.pass(400);
    expect(await result).toMatchObject({ outcome: 'awaiting_input', question: '$' });
  });

  it('continues if the activity cannot be read', async () => {
    const fixture = new Asked();
    fixture.during = () => {
      throw new Error('no such process');
    };
    const result = fixture.wait();
    await fixture.pass(500);
    fixture.during = () => {};
    fixture.ask('? ');
    await fixture.pass(500);
    expect((await result).outcome).toBe('awaiting_input');
  });

  it('is cheap: many waits share at most four queries a second', async () => {
    const fixture = new Asked();
    const results = [];
    for (let wait = 0; wait < 1_000; wait++) {
      results.push(fixture.wait({ timeoutMs: 5_000 }));
      if (wait % 50 === 0) await fixture.pass(50);
    }
    await fixture.pass(6_000);
    const outcomes = (await Promise.all(results)).map(({ outcome }) => outcome);
    expect(new Set(outcomes)).toEqual(new Set(['timed_out']));
    expect(fixture.queries).toBeLessThanOrEqual(28);
  });

  it('leaves no listener and no timer', async () => {
    for (const waitedMs of [100, 300, 350, 700, 1_500]) {
      const fixture = new Asked();
      const controller = new AbortController();
      const results = [1, 2, 3].map(() => fixture.wait({ signal: controller.signal }));
      await fixture.pass(waitedMs);
      results.push(fixture.wait({ signal: controller.signal }));
      controller.abort();
      await Promise.allSettled(results);
      expect([fixture.watched.listenerCount, fixture.clock.pending]).toEqual([0, 0]);
    }
  });
});
