import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CommandRecord, MarkEvent, MarkKind, OutputPosition } from '#model';
import { runs } from '../../test/support/run/runs.ts';
import { VirtualClock } from '../../test/support/virtual-clock.ts';
import { Ledger, type LedgerOptions } from './ledger.ts';

const nonce = 'c0de';

/** A ledger that is told marks in one letter each, as OSC 133 has them, ten bytes apart. */
class Told {
  readonly clock = new VirtualClock();
  readonly ledger: Ledger;
  #offset = 0;
  #turn = 1;

  constructor(options: Partial<LedgerOptions> = {}) {
    this.ledger = new Ledger({ clock: this.clock, ...options });
  }

  get place(): OutputPosition {
    return { offset: this.#offset, line: this.#offset / 10, col: 0 };
  }

  mark(letter: string, more: Partial<MarkEvent> = {}): this {
    this.ledger.mark(this.#event(letter, more));
    this.#offset += 10;
    this.clock.advance(1);
    return this;
  }

  /** With our nonce. A prompt that begins is another one. */
  ours(letter: string, more: Partial<MarkEvent> = {}): this {
    if (letter === 'A' && more.prompt === undefined) this.#turn++;
    return this.mark(letter, { nonce: `${nonce}.${this.#turn}`, ...more });
  }

  /** Something of an older prompt, or of this one, once more. */
  again(letter: string, turn: number, more: Partial<MarkEvent> = {}): this {
    return this.mark(letter, { nonce: `${nonce}.${turn}`, ...more });
  }

  cwd(cwd: string): this {
    const stamp = { revision: 1, atMs: this.clock.wallMs() };
    this.ledger.cwd({ type: 'cwd', cwd, host: '', ...stamp, position: this.place });
    return this;
  }

  exit(code: number | null): this {
    const status = code === null ? { code, signal: 'SIGKILL' as const } : { code, signal: null };
    this.ledger.exit(this.clock.wallMs(), this.place, status);
    return this;
  }

  /** `line:code` of each command; `?` for what is not known, `...` for the one that runs. */
  get commands(): string[] {
    return this.ledger.list().commands.map(brief);
  }

  #event(letter: string, more: Partial<MarkEvent>): MarkEvent {
    const mark = kinds[letter] ?? 'user';
    const stamp = { revision: 1, atMs: this.clock.wallMs() };
    const end = letter === 'D' ? { exitCode: null } : {};
    return { type: 'mark', mark, ...stamp, position: this.place, ...end, ...more };
  }
}

const kinds: Readonly<Record<string, MarkKind>> = {
  ...{ A: 'promptStart', B: 'promptEnd', C: 'commandStart', D: 'commandEnd', E: 'commandLine' },
};

function brief({ line, state, exitCode }: CommandRecord): string {
  return `${line ?? '?'}:${state === 'running' ? '...' : (exitCode ?? '?')}`;
}

const line = (commandLine: string) => ({ commandLine });
const status = (exitCode: number) => ({ exitCode });

describe('a command', () => {
  it('is kept with all that its marks tell', () => {
    const told = new Told({ nonce });
    told.cwd('/src').ours('A').ours('B').ours('C', line('make'));
    told.clock.advance(300);
    const startedAtMs = told.clock.wallMs() - 301;
    const from = { offset: 20, line: 2, col: 0 };
    const known = { number: 1, line: 'make', cwd: '/src', startRevision: 1 };
    const running = { ...known, state: 'running', startedAtMs };
    expect(told.ledger.running).toEqual({
      ...{ ...running, exitCode: null, endedAtMs: null, durationMs: 301, from, to: null },
    });
    expect(told.ledger.choose(1)).toEqual(told.ledger.running);
    expect(told.ledger.choose('last')).toEqual(told.ledger.running);
    const endedAtMs = told.clock.wallMs();
    told.ours('D', status(2)).ours('A');
    const to = { offset: 30, line: 3, col: 0 };
    const ended = { ...running, state: 'ended', exitCode: 2, endedAtMs, durationMs: 301, from, to };
    expect(told.ledger.list()).toEqual({
      ...{ commands: [ended], dropped: 0, integration: 'integrated' },
    });
    expect(told.ledger.choose(1)).toEqual(ended);
    expect(told.ledger.choose('last')).toEqual(ended);
    expect(told.ledger.running).toBeNull();
  });

  it.each<[string, string, string[]]>([
    ['ends with D', 'A B C:ls D:0 A B', ['ls:0']],
    ['ends with the first D', 'A B C:ls D:1 D:0 A', ['ls:1']],
    ['ends unknown with a prompt', 'A B C:ls A B C:pwd D:0', ['ls:?', 'pwd:0']],
    ['ends unknown with the end of a prompt', 'C:ls B', ['ls:?']],
    ['ends unknown with a prompt that goes on', 'C:ls A:continuation', ['ls:?']],
    ['runs on beside a prompt at the right', 'C:ls A:right', ['ls:...']],
    ['ends unknown where D does not say', 'C:ls D', ['ls:?']],
    ['begins once', 'A B C:ls C:wc D:0', ['ls:0']],
    ['is none without C', 'D:0 A B D:130 A B D A B', []],
    ['is none for a prompt that is drawn again', 'A B A B A B C:ls', ['ls:...']],
    ['may have its line told before', 'A B E:ls C D:0 A B C D:0', ['ls:0', '?:0']],
    ['does not end where a person sets a mark', 'C:ls U', ['ls:...']],
  ])('%s', (_what, marks, expected) => {
    const told = new Told();
    for (const each of marks.split(' ')) {
      const [letter = '', value] = each.split(':');
      if (letter === 'D' && value !== undefined) told.mark('D', status(Number(value)));
      else if (letter === 'A' && value !== undefined)
        told.mark('A', { prompt: value as 'continuation' | 'right' });
      else told.mark(letter, value === undefined ? {} : line(value));
    }
    expect(told.commands).toEqual(expected);
  });

  it.each<[string, number | null, string]>([
    ['the exit code of the program', 3, 'exit 3:3'],
    ['no exit code where a signal ended the program', null, 'exit 3:?'],
  ])('that runs when the program ends gets %s', (_what, code, expected) => {
    const told = new Told({ nonce }).ours('A').ours('B').ours('C', line('exit 3'));
    expect(told.exit(code).commands).toEqual([expected]);
    expect(told.ledger.prompt).toBeNull();
    expect(told.ledger.choose('last').to).toEqual({ offset: 30, line: 3, col: 0 });
  });
});

describe('a prompt', () => {
  it('is there from its end until a command begins', () => {
    const told = new Told({ nonce });
    const seen = ['A', 'B', 'A', 'B', 'C', 'D', 'A', 'B'].map(
      (letter) => told.ours(letter).ledger.prompt?.offset ?? null,
    );
    expect(seen).toEqual([null, 10, null, 10, null, null, null, 70]);
  });

  it('that is drawn again is still the one that it was', () => {
    const told = new Told({ nonce }).cwd('/').ours('A').ours('B');
    told.again('A', 2).again('B', 2);
    expect(told.ledger.prompt).toEqual({ offset: 10, line: 3, col: 0 });
    // Enter, without a command.
    told.cwd('/').again('A', 2).again('B', 2);
    expect(told.ledger.prompt).toEqual({ offset: 50, line: 5, col: 0 });
    told.again('C', 2).again('D', 2, status(0)).ours('A').ours('B');
    expect(told.ledger.prompt?.offset).toBe(90);
  });

  it('that is painted anew, where it was or further up, asks for nothing else', () => {
    const told = new Told().mark('A').mark('B');
    const at = (line: number) => ({ position: { offset: 100 + line, line, col: 2 } });
    const paint = (line: number) => told.mark('A', at(line)).mark('B', at(line)).ledger.prompt;
    expect(paint(0)).toEqual({ offset: 10, line: 0, col: 2 });
    expect(paint(7)).toEqual({ offset: 107, line: 7, col: 2 });
    expect(paint(5)).toEqual({ offset: 107, line: 5, col: 2 });
    expect(paint(6)).toEqual({ offset: 106, line: 6, col: 2 });
  });

  it('is there from its beginning where the shell does not mark the end', () => {
    const told = new Told();
    const seen = ['A', 'C', 'D', 'A'].map((letter) => told.mark(letter).ledger.prompt?.offset);
    expect(seen).toEqual([0, undefined, undefined, 30]);
  });

  it('that asks for the rest of a command is none for the next', () => {
    const told = new Told({ nonce }).ours('A').ours('B');
    expect(told.ledger.continues).toBe(false);
    told.ours('A', { prompt: 'continuation' }).ours('B');
    expect(told.ledger).toMatchObject({ prompt: null, continues: true });
    told.ours('A').ours('B');
    expect(told.ledger).toMatchObject({ prompt: { line: 5 }, continues: false });
  });
});

describe('a nonce', () => {
  it('makes marks without it worthless, once it was heard', () => {
    const told = new Told({ nonce });
    expect(told.ledger.integration).toBe('none');
    told.ours('A').ours('B').ours('C', line('cat evil'));
    for (const other of [{}, { nonce: 'guess' }, { nonce }, { nonce: `${nonce}.x` }]) {
      told
        .mark('D', { exitCode: 0, ...other })
        .mark('A', other)
        .mark('B', other);
      told.mark('C', { commandLine: 'forged', ...other });
      expect(told.commands).toEqual(['cat evil:...']);
      expect(told.ledger.prompt).toBeNull();
    }
    told.ours('D', status(1));
    expect(told.commands).toEqual(['cat evil:1']);
    expect(told.ledger.integration).toBe('integrated');
  });

  it('is not asked for before: a shell may mark by itself', () => {
    const told = new Told({ nonce }).mark('A').mark('C', line('ls')).mark('D', status(0));
    expect(told.commands).toEqual(['ls:0']);
    expect(told.ledger.integration).toBe('self');
  });

  it('proves nothing when a command prints it once more', () => {
    const told = new Told({ nonce }).ours('A').ours('B').ours('C', line('true'));
    told.ours('D', status(0)).ours('A').ours('B').ours('C', line('cat log'));
    for (const turn of [1, 2, 3]) {
      told.again('A', turn).again('B', turn).again('C', turn, line('true'));
      if (turn < 3) told.again('D', turn, status(0));
    }
    expect(told.commands).toEqual(['true:0', 'cat log:...']);
    expect(told.ours('D', status(1)).ours('A').ours('B').commands).toEqual(['true:0', 'cat log:1']);
    expect(told.ledger.prompt).not.toBeNull();
  });

  it('goes on where the prompts are not counted any more', () => {
    const told = new Told({ nonce }).ours('A');
    for (const letter of ['B', 'C', 'D', 'B', 'C', 'D']) told.again(letter, 2, status(7));
    expect(told.commands).toEqual(['?:7', '?:7']);
  });

  it('ends what was begun without it, with status unknown', () => {
    const told = new Told({ nonce }).mark('C', line('login')).ours('D', status(0)).ours('A');
    expect(told.commands).toEqual(['login:?']);
  });

  it('keeps the directory of a command from being told by what runs', () => {
    const told = new Told({ nonce }).cwd('/a').ours('A').ours('B').ours('C', line('one'));
    told.cwd('/forged').ours('D', status(0)).ours('A').ours('B').ours('C', line('two'));
    expect(told.ledger.list().commands.map(({ cwd }) => cwd)).toEqual(['/a', '/a']);
    told.ours('D', status(0)).cwd('/b').ours('A').ours('B').ours('C', line('three'));
    expect(told.ledger.running?.cwd).toBe('/b');
  });
});

describe('what was typed', () => {
  const two = {
    nonce,
    textBetween: ({ line: at }: OutputPosition) => ['', 'if', ' ', 'x'][at ?? 0],
  };

  it.each<[string, Partial<MarkEvent>, string, string | null]>([
    ['is what the shell tells', { commandLine: 'ls  -l' }, 'ls -l', 'ls  -l'],
    ['repeats the line before', { historyLine: 'make' }, 'make', 'make'],
    ['begins with a space', { historyLine: 'make' }, ' secret', ' secret'],
    ['begins with a space and repeats', { historyLine: 'make' }, ' make', ' make'],
    ['is not known where the screen says something else', { historyLine: 'make' }, 'ls', null],
    ['is not known where the screen was cleared', { historyLine: 'make' }, '', null],
    ['is not known where the shell does not tell', {}, 'ls', null],
  ])('%s', (_what, more, screen, expected) => {
    const told = new Told({ nonce, textBetween: () => screen }).ours('A').ours('B');
    expect(told.ours('C', more).ledger.running?.line).toBe(expected);
  });

  it('has the lines that it had on the screen, where the shell made one of them', () => {
    const texts: Record<number, string> = { 1: 'for i in 1; do\n', 3: 'echo; done\n' };
    const textBetween = (from: OutputPosition) => texts[from.line ?? 0] ?? null;
    const told = new Told({ nonce, textBetween }).ours('A').ours('B');
    told.ours('A', { prompt: 'continuation' }).ours('B');
    told.ours('C', line('for i in 1; do echo; done'));
    expect(told.ledger.running?.line).toBe('for i in 1; do\necho; done');
  });

  it('is the word of the shell where the screen has other lines', () => {
    const told = new Told({ nonce, textBetween: () => 'something else' }).ours('A').ours('B');
    told.ours('A', { prompt: 'continuation' }).ours('B').ours('C', line('a; b'));
    expect(told.ledger.running?.line).toBe('a; b');
  });

  it('is not looked for on the screen where the shell has proved nothing', () => {
    const told = new Told({ ...two, textBetween: () => 'typed' }).mark('A').mark('B');
    expect(told.mark('C', { historyLine: 'typed' }).ledger.running?.line).toBeNull();
  });
});

describe('the ledger', () => {
  const many = (count: number, limits?: LedgerOptions['limits']) => {
    const told = new Told(limits === undefined ? {} : { limits });
    for (let each = 1; each <= count; each++) told.mark('C', line(`c${each}`)).mark('D', status(0));
    return told;
  };

  it('keeps the newest thousand', () => {
    const { ledger } = many(1_005);
    expect(ledger.list()).toMatchObject({ dropped: 5 });
    expect(ledger.list().commands).toHaveLength(1_000);
    expect(() => ledger.choose(5)).toThrow('there is no command 5; commands 6 to 1005 are kept');
    expect(ledger.choose(6)).toMatchObject({ number: 6, line: 'c6' });
    expect(ledger.choose(1_005)).toMatchObject({ number: 1_005 });
    expect(() => ledger.choose(1_006)).toThrow(/no command 1006/);
  });

  it('keeps no more characters than it may', () => {
    const told = many(9, { maxCommands: 100, maxCharacters: 6 });
    expect(told.commands).toEqual(['c7:0', 'c8:0', 'c9:0']);
  });

  it('lists the newest so many, the one that runs among them', () => {
    const told = many(3).mark('C', line('c4'));
    expect(told.ledger.list({ last: 2 }).commands.map(brief)).toEqual(['c3:0', 'c4:...']);
  });

  it('says why it has no command', () => {
    expect(() => new Told().ledger.choose('last')).toThrow(/no shell has told/);
    expect(() => new Told().mark('A').ledger.choose('last')).toThrow(/no command has run/);
    expect(() => new Told().ledger.choose(0)).toThrow(/command is 0/);
  });

  it('prefers what has ended to what runs', () => {
    expect(many(1).mark('C', line('c2')).ledger.choose('last').line).toBe('c1');
  });

  it('expects a shell that was made to mark its commands', () => {
    expect(new Told().ledger.starting).toBe(false);
    const told = new Told({ nonce });
    expect([told.ledger.starting, told.mark('A').ledger.starting]).toEqual([true, false]);
  });

  it.each([0, -1, 1.5, 1_001, Number.NaN])('refuses to list the last %s', (last) => {
    expect(() => many(1).ledger.list({ last })).toThrow(/last is/);
  });

  it('knows which command ended first after a place', () => {
    const { ledger } = many(3).mark('C', line('c4'));
    const ends = [0, 10, 11, 30, 50, 51].map((offset) => ledger.endedAfter(offset)?.line ?? null);
    expect(ends).toEqual(['c1', 'c1', 'c2', 'c2', 'c3', null]);
  });
});

describe('whatever marks come', () => {
  const letter = fc.constantFrom('A', 'B', 'C', 'D', 'E', 'U');
  const proof = fc.oneof(
    fc.constantFrom<Partial<MarkEvent>>({}, { nonce: 'other' }),
    fc.nat({ max: 5 }).map((turn) => ({ nonce: `${nonce}.${turn}` })),
  );
  const prompt = fc.constantFrom<Partial<MarkEvent>>(
    ...[{}, { prompt: 'continuation' as const }, { prompt: 'right' as const }],
  );
  const step = fc.tuple(letter, proof, prompt);
  const limits = { maxCommands: 5, maxCharacters: 1_000 };

  it('commands are numbered without gap, follow each other, and only the last may run', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), fc.boolean(), (steps, proves) => {
        const told = new Told({ limits, ...(proves ? { nonce } : {}) });
        for (const [each, proven, kind] of steps) {
          told.mark(each, { ...proven, ...(each === 'A' ? kind : {}) });
          const { commands, dropped } = told.ledger.list();
          expect(commands.map(({ number }) => number - dropped)).toEqual(
            commands.map((_, index) => index + 1),
          );
          expect(commands.length).toBeLessThanOrEqual(limits.maxCommands + 1);
          let end = 0;
          for (const [index, { state, from, to }] of commands.entries()) {
            expect(from.offset).toBeGreaterThanOrEqual(end);
            expect(to === null).toBe(state === 'running');
            if (to === null) expect(index).toBe(commands.length - 1);
            end = to?.offset ?? end;
          }
          // Never both.
          if (told.ledger.running !== null) expect(told.ledger.prompt).toBeNull();
        }
      }),
      runs(300),
    );
  });

  it('marks without the nonce change nothing, once it was heard', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const withOthers = new Told({ nonce }).ours('A');
        const alone = new Told({ nonce }).ours('A');
        for (const [each, proven, kind] of steps) {
          const more = { ...proven, ...(each === 'A' ? kind : {}) };
          withOthers.mark(each, more);
          if (proven.nonce?.startsWith(nonce)) alone.mark(each, more);
          expect(withOthers.commands).toEqual(alone.commands);
          expect(withOthers.ledger.prompt === null).toBe(alone.ledger.prompt === null);
        }
      }),
      runs(300),
    );
  });
});
