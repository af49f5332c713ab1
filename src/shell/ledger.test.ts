import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defined } from '#base';
import type { CommandRecord, MarkEvent, MarkKind, OutputPosition, RedrawnPart } from '#model';
import { runs } from '../../test/support/run/runs.ts';
import { VirtualClock } from '../../test/support/virtual-clock.ts';
import { Ledger, type LedgerOptions } from './ledger.ts';

const nonce = 'c0de';

/** A ledger that gets marks by their letters in OSC 133, ten bytes apart. */
class MarkedLedger {
  readonly clock = new VirtualClock();
  readonly ledger: Ledger;
  #offset = 0;
  #promptNumber = 1;

  constructor(options: Partial<LedgerOptions> = {}) {
    this.ledger = new Ledger({ clock: this.clock, ...options });
  }

  get position(): OutputPosition {
    return { offset: this.#offset, line: this.#offset / 10, col: 0 };
  }

  mark(letter: string, more: Partial<MarkEvent> = {}): this {
    this.ledger.mark(this.#event(letter, more));
    this.#offset += 10;
    this.clock.advance(1);
    return this;
  }

  /** A mark with the nonce. `A` begins a new prompt. */
  ours(letter: string, more: Partial<MarkEvent> = {}): this {
    if (letter === 'A' && more.prompt === undefined) this.#promptNumber++;
    return this.mark(letter, { nonce: `${nonce}.${this.#promptNumber}`, ...more });
  }

  /** A mark of an older prompt, or a repeated one. */
  again(letter: string, promptNumber: number, more: Partial<MarkEvent> = {}): this {
    return this.mark(letter, { nonce: `${nonce}.${promptNumber}`, ...more });
  }

  cwd(cwd: string): this {
    const stamp = { revision: 1, atMs: this.clock.wallMs() };
    this.ledger.cwd({ type: 'cwd', cwd, host: '', ...stamp, position: this.position });
    return this;
  }

  exit(code: number | null): this {
    const status = code === null ? { code, signal: 'SIGKILL' as const } : { code, signal: null };
    this.ledger.exit(this.clock.wallMs(), this.position, status);
    return this;
  }

  /** `line:code` of each command; `?` if unknown, `...` for the running one. */
  get commands(): string[] {
    return this.ledger.list().commands.map(brief);
  }

  #event(letter: string, more: Partial<MarkEvent>): MarkEvent {
    const mark = kinds[letter] ?? 'user';
    const stamp = { revision: 1, atMs: this.clock.wallMs() };
    const end = letter === 'D' ? { exitCode: null } : {};
    return { type: 'mark', mark, ...stamp, position: this.position, ...end, ...more };
  }
}

const kinds: Readonly<Record<string, MarkKind>> = {
  A: 'promptStart',
  B: 'promptEnd',
  C: 'commandStart',
  D: 'commandEnd',
  E: 'commandLine',
};

function brief({ line, state, exitCode }: CommandRecord): string {
  return `${line ?? '?'}:${state === 'running' ? '...' : (exitCode ?? '?')}`;
}

const line = (commandLine: string) => ({ commandLine });
const status = (exitCode: number) => ({ exitCode });

describe('a command', () => {
  it('is kept with all facts of its marks', () => {
    const marked = new MarkedLedger({ nonce });
    marked.cwd('/src').ours('A').ours('B').ours('C', line('make'));
    marked.clock.advance(300);
    const startedAtMs = marked.clock.wallMs() - 301;
    const from = { offset: 20, line: 2, col: 0 };
    const command = { number: 1, line: 'make', cwd: '/src', startRevision: 1 };
    const running = { ...command, state: 'running', startedAtMs };
    expect(marked.ledger.running).toEqual({
      ...running,
      exitCode: null,
      endedAtMs: null,
      durationMs: 301,
      from,
      to: null,
    });
    expect(marked.ledger.choose(1)).toEqual(marked.ledger.running);
    expect(marked.ledger.choose('last')).toEqual(marked.ledger.running);
    const endedAtMs = marked.clock.wallMs();
    marked.ours('D', status(2)).ours('A');
    const to = { offset: 30, line: 3, col: 0 };
    const ended = { ...running, state: 'ended', exitCode: 2, endedAtMs, durationMs: 301, from, to };
    expect(marked.ledger.list()).toEqual({
      commands: [ended],
      dropped: 0,
      integration: 'integrated',
    });
    expect(marked.ledger.choose(1)).toEqual(ended);
    expect(marked.ledger.choose('last')).toEqual(ended);
    expect(marked.ledger.running).toBeNull();
  });

  it.each<[string, string, string[]]>([
    ['ends with D', 'A B C:ls D:0 A B', ['ls:0']],
    ['ends with the first D', 'A B C:ls D:1 D:0 A', ['ls:1']],
    ['ends with an unknown code at a prompt', 'A B C:ls A B C:pwd D:0', ['ls:?', 'pwd:0']],
    ['ends with an unknown code at the end of a prompt', 'C:ls B', ['ls:?']],
    ['ends with an unknown code at a continuation prompt', 'C:ls A:continuation', ['ls:?']],
    ['does not end at a right prompt', 'C:ls A:right', ['ls:...']],
    ['ends with an unknown code at a D without one', 'C:ls D', ['ls:?']],
    ['begins once', 'A B C:ls C:wc D:0', ['ls:0']],
    ['needs a C', 'D:0 A B D:130 A B D A B', []],
    ['is not begun by a redrawn prompt', 'A B A B A B C:ls', ['ls:...']],
    ['may have its line reported before it begins', 'A B E:ls C D:0 A B C D:0', ['ls:0', '?:0']],
    ['does not end at a mark of the user', 'C:ls U', ['ls:...']],
  ])('%s', (_what, marks, expected) => {
    const marked = new MarkedLedger();
    for (const each of marks.split(' ')) {
      const [letter = '', value] = each.split(':');
      if (letter === 'D' && value !== undefined) marked.mark('D', status(Number(value)));
      else if (letter === 'A' && value !== undefined)
        marked.mark('A', { prompt: value as 'continuation' | 'right' });
      else marked.mark(letter, value === undefined ? {} : line(value));
    }
    expect(marked.commands).toEqual(expected);
  });

  it.each<[string, number | null, string]>([
    ['the exit code of the program', 3, 'exit 3:3'],
    ['no exit code if a signal ended the program', null, 'exit 3:?'],
  ])('that runs when the program ends gets %s', (_what, code, expected) => {
    const marked = new MarkedLedger({ nonce }).ours('A').ours('B').ours('C', line('exit 3'));
    expect(marked.exit(code).commands).toEqual([expected]);
    expect(marked.ledger.prompt).toBeNull();
    expect(marked.ledger.choose('last').to).toEqual({ offset: 30, line: 3, col: 0 });
  });
});

describe('a prompt', () => {
  it('exists from its end until a command begins', () => {
    const marked = new MarkedLedger({ nonce });
    const states = ['A', 'B', 'A', 'B', 'C', 'D', 'A', 'B'].map(
      (letter) => marked.ours(letter).ledger.prompt?.offset ?? null,
    );
    // The second one has another number: it is not the first one redrawn.
    expect(states).toEqual([null, 10, null, 30, null, null, null, 70]);
  });

  it('that is redrawn keeps its offset', () => {
    const marked = new MarkedLedger({ nonce }).cwd('/').ours('A').ours('B');
    marked.again('A', 2).again('B', 2);
    expect(marked.ledger.prompt).toEqual({ offset: 10, line: 3, col: 0 });
    // Enter, without a command.
    marked.cwd('/').again('A', 2).again('B', 2);
    expect(marked.ledger.prompt).toEqual({ offset: 50, line: 5, col: 0 });
    marked.again('C', 2).again('D', 2, status(0)).ours('A').ours('B');
    expect(marked.ledger.prompt?.offset).toBe(90);
  });

  it('that is redrawn at its line or above is the same prompt', () => {
    const marked = new MarkedLedger().mark('A').mark('B');
    const at = (line: number) => ({ position: { offset: 100 + line, line, col: 2 } });
    const paint = (line: number) =>
      marked.mark('A', at(line)).mark('B', at(line)).ledger.unverified?.prompt;
    expect(paint(0)).toEqual({ offset: 10, line: 0, col: 2 });
    expect(paint(7)).toEqual({ offset: 107, line: 7, col: 2 });
    expect(paint(5)).toEqual({ offset: 107, line: 5, col: 2 });
    expect(paint(6)).toEqual({ offset: 106, line: 6, col: 2 });
  });

  it('exists from its beginning if the shell does not mark the end', () => {
    const marked = new MarkedLedger();
    const pids = ['A', 'C', 'D', 'A'].map(
      (letter) => marked.mark(letter).ledger.unverified?.prompt?.offset,
    );
    expect(pids).toEqual([0, undefined, undefined, 30]);
  });

  it('is drawn again by its shell from its beginning on, or only its last line', () => {
    const at = (line: number, col: number) => ({ position: { offset: 100 + line, line, col } });
    const drawn = (redraws?: RedrawnPart, end = at(2, 2)) => {
      const begin = { ...at(0, 3), ...defined({ redraws: redraws || undefined }) };
      return new MarkedLedger().mark('A', begin).mark('B', end).ledger.redrawnFrom;
    };
    expect(drawn()).toEqual({ line: 0, col: 3, offset: 102 });
    expect(drawn('all')).toEqual({ line: 0, col: 3, offset: 102 });
    expect(drawn('last_line')).toEqual({ line: 2, col: 0, offset: 102 });
    expect(drawn('last_line', at(0, 9))).toEqual({ line: 0, col: 3, offset: 100 });
    expect(drawn('nothing')).toBe(null);
  });

  it('is drawn again when it is complete and until a command begins', () => {
    const marked = new MarkedLedger({ nonce }).cwd('/').ours('A').ours('B');
    const line = () => marked.ledger.redrawnFrom?.line ?? null;
    expect(line()).toBe(0);
    expect(marked.again('A', 2).ledger.redrawnFrom).toBe(null);
    expect(marked.again('B', 2) && line()).toBe(2);
    // Anybody can print these.
    expect(marked.mark('A').mark('B') && line()).toBe(2);
    expect(marked.again('A', 2, { prompt: 'continuation' }).again('B', 2) && line()).toBe(6);
    expect(marked.again('C', 2) && line()).toBe(null);
    expect(marked.again('D', 2, status(0)) && line()).toBe(null);
    expect(marked.ours('A').ours('B') && line()).toBe(10);
    expect(marked.exit(0).ledger.redrawnFrom).toBe(null);
  });

  it('is drawn again as the mark before for the same prompt says', () => {
    const at = (line: number) => ({ position: { offset: 100 + line, line, col: 0 } });
    const marked = new MarkedLedger().mark('A', { ...at(0), redraws: 'last_line' });
    expect(marked.mark('A', at(0)).mark('B', at(1)).ledger.redrawnFrom?.line).toBe(1);
    marked.mark('C', at(1)).mark('D', at(3)).mark('A', at(3)).mark('B', at(4));
    expect(marked.ledger.redrawnFrom?.line).toBe(3);
  });

  it('that continues a command is not a prompt for the next one', () => {
    const marked = new MarkedLedger({ nonce }).ours('A').ours('B');
    expect(marked.ledger.continues).toBe(false);
    marked.ours('A', { prompt: 'continuation' }).ours('B');
    expect(marked.ledger).toMatchObject({ prompt: null, continues: true });
    marked.ours('A').ours('B');
    expect(marked.ledger).toMatchObject({ prompt: { line: 5 }, continues: false });
  });
});

describe('a nonce', () => {
  it('makes the ledger ignore marks without it, after its first use', () => {
    const marked = new MarkedLedger({ nonce });
    expect(marked.ledger.integration).toBe('none');
    marked.ours('A').ours('B').ours('C', line('cat evil'));
    for (const other of [{}, { nonce: 'guess' }, { nonce }, { nonce: `${nonce}.x` }]) {
      marked
        .mark('D', { exitCode: 0, ...other })
        .mark('A', other)
        .mark('B', other);
      marked.mark('C', { commandLine: 'forged', ...other });
      expect(marked.commands).toEqual(['cat evil:...']);
      expect(marked.ledger.prompt).toBeNull();
    }
    marked.ours('D', status(1));
    expect(marked.commands).toEqual(['cat evil:1']);
    expect(marked.ledger.integration).toBe('integrated');
  });

  it('is not needed before its first use, because a shell may mark by itself; nothing is decided', () => {
    const marked = new MarkedLedger({ nonce }).mark('A').mark('C', line('ls')).mark('D', status(0));
    expect(marked.commands).toEqual(['ls:0']);
    expect(marked.mark('A').mark('B').ledger).toMatchObject({
      integration: 'self',
      prompt: null,
      running: null,
      typing: null,
      starting: true,
      unverified: { prompt: { offset: 40 }, running: null },
    });
    expect(marked.ledger.endedAfter(0)).toBeNull();
    expect(marked.ledger.unverified?.endedAfter(0)).toMatchObject({ line: 'ls', unverified: true });
  });

  it('is ignored when a command prints it again', () => {
    const marked = new MarkedLedger({ nonce }).ours('A').ours('B').ours('C', line('true'));
    marked.ours('D', status(0)).ours('A').ours('B').ours('C', line('cat log'));
    for (const promptNumber of [1, 2, 3]) {
      marked
        .again('A', promptNumber)
        .again('B', promptNumber)
        .again('C', promptNumber, line('true'));
      if (promptNumber < 3) marked.again('D', promptNumber, status(0));
    }
    expect(marked.commands).toEqual(['true:0', 'cat log:...']);
    expect(marked.ours('D', status(1)).ours('A').ours('B').commands).toEqual([
      'true:0',
      'cat log:1',
    ]);
    expect(marked.ledger.prompt).not.toBeNull();
  });

  it('still counts if prompts are no longer numbered', () => {
    const marked = new MarkedLedger({ nonce }).ours('A');
    for (const letter of ['B', 'C', 'D', 'B', 'C', 'D']) marked.again(letter, 2, status(7));
    expect(marked.commands).toEqual(['?:7', '?:7']);
  });

  it('makes the ledger forget what marks without it said', () => {
    const marked = new MarkedLedger({ nonce }).mark('C', line('rm -rf /')).mark('D', status(0));
    marked.mark('A').mark('B').mark('E', line('forged'));
    expect(marked.ledger.list().commands).toMatchObject([{ line: 'rm -rf /', unverified: true }]);
    marked.ours('A').ours('B');
    expect(marked.commands).toEqual([]);
    expect(marked.ours('C').ledger.running).toMatchObject({ number: 1, line: null });
    expect(marked.ledger.running).not.toHaveProperty('unverified');
  });

  it('keeps a running command from changing the directory', () => {
    const marked = new MarkedLedger({ nonce }).cwd('/a').ours('A').ours('B').ours('C', line('one'));
    marked.cwd('/forged').ours('D', status(0)).ours('A').ours('B').ours('C', line('two'));
    expect(marked.ledger.list().commands.map(({ cwd }) => cwd)).toEqual(['/a', '/a']);
    marked.ours('D', status(0)).cwd('/b').ours('A').ours('B').ours('C', line('three'));
    expect(marked.ledger.running?.cwd).toBe('/b');
  });
});

describe('the directory', () => {
  it('is not known between the end of a command and the next report', () => {
    const marked = new MarkedLedger({ nonce }).cwd('/a').ours('A').ours('B');
    expect(marked.ledger.directory).toBe('/a');
    expect(marked.ours('C', line('cd /b')).ledger.directory).toBe('/a');
    expect(marked.ours('D', status(0)).ledger).toMatchObject({
      directory: null,
      toldDirectory: '/a',
    });
    expect(marked.cwd('/b').ledger.directory).toBe('/b');
    // bash reports it before the end.
    marked.ours('A').ours('B').ours('C', line('cd /c')).ours('D', status(0)).cwd('/c');
    expect(marked.ours('A').ledger.directory).toBe('/c');
  });
});

describe('a line that runs no command', () => {
  it('has the status that an integrated shell reports', () => {
    const marked = new MarkedLedger({ nonce }).ours('A').ours('B');
    expect(marked.ledger.statusWithoutCommand(0)).toBe(null);
    const { offset } = marked.position;
    marked.ours('D', status(2)).ours('A').ours('B');
    expect(marked.ledger.statusWithoutCommand(offset)).toBe(2);
    expect(marked.ledger.statusWithoutCommand(offset + 1)).toBe(null);
    expect(marked.commands).toEqual([]);
  });

  it('has it also below a prompt that was drawn again with the end before it', () => {
    const marked = new MarkedLedger({ nonce }).again('D', 2, status(4)).ours('A').ours('B');
    marked.again('D', 2, status(4)).again('A', 2).again('B', 2);
    const { offset } = marked.position;
    // Marked again below what hooks print.
    marked.again('D', 4, status(2)).again('D', 4, status(7));
    expect(marked.ledger.statusWithoutCommand(0)).toBe(2);
    expect(marked.ledger.lineOfEndWithoutCommand(offset)).toBe(offset / 10);
  });

  it('is not assumed for the end of a command, or for a mark without the nonce', () => {
    const marked = new MarkedLedger({ nonce }).ours('A').ours('B').ours('C').ours('D', status(2));
    expect(marked.ledger.statusWithoutCommand(0)).toBe(null);
    marked.mark('D', status(3));
    expect(marked.ledger.statusWithoutCommand(0)).toBe(null);
    const plain = new MarkedLedger().mark('A').mark('D', status(2));
    expect(plain.ledger.statusWithoutCommand(0)).toBe(null);
  });
});

describe('the typed line', () => {
  const two = {
    nonce,
    textBetween: ({ line: at }: OutputPosition) => ['', 'if', ' ', 'x'][at ?? 0],
  };

  it.each<[string, Partial<MarkEvent>, string, string | null]>([
    ['is the line that the shell reports', { commandLine: 'ls  -l' }, 'ls -l', 'ls  -l'],
    ['repeats the line before', { historyLine: 'make' }, 'make', 'make'],
    ['begins with a space', { historyLine: 'make' }, ' secret', ' secret'],
    ['begins with a space and repeats', { historyLine: 'make' }, ' make', ' make'],
    ['is unknown if the screen differs', { historyLine: 'make' }, 'ls', null],
    ['is unknown if the screen was cleared', { historyLine: 'make' }, '', null],
    ['is unknown if the shell does not report it', {}, 'ls', null],
  ])('%s', (_what, more, screen, expected) => {
    const marked = new MarkedLedger({ nonce, textBetween: () => screen }).ours('A').ours('B');
    expect(marked.ours('C', more).ledger.running?.line).toBe(expected);
  });

  it('has its line breaks from the screen if the shell joined its lines', () => {
    const texts: Record<number, string> = { 1: 'for i in 1; do\n', 3: 'echo; done\n' };
    const textBetween = (from: OutputPosition) => texts[from.line ?? 0] ?? null;
    const marked = new MarkedLedger({ nonce, textBetween }).ours('A').ours('B');
    marked.ours('A', { prompt: 'continuation' }).ours('B');
    marked.ours('C', line('for i in 1; do echo; done'));
    expect(marked.ledger.running?.line).toBe('for i in 1; do\necho; done');
  });

  it('is the line that the shell reports if the screen has other lines', () => {
    const marked = new MarkedLedger({ nonce, textBetween: () => 'something else' })
      .ours('A')
      .ours('B');
    marked.ours('A', { prompt: 'continuation' }).ours('B').ours('C', line('a; b'));
    expect(marked.ledger.running?.line).toBe('a; b');
  });

  it('is not read from the screen if the marks have no nonce', () => {
    const marked = new MarkedLedger({ ...two, textBetween: () => 'typed' }).mark('A').mark('B');
    const { ledger } = marked.mark('C', { historyLine: 'typed' });
    expect(ledger.unverified?.running?.line).toBeNull();
  });
});

describe('the ledger', () => {
  const many = (count: number, limits?: LedgerOptions['limits']) => {
    const marked = new MarkedLedger(limits === undefined ? {} : { limits });
    for (let each = 1; each <= count; each++)
      marked.mark('C', line(`c${each}`)).mark('D', status(0));
    return marked;
  };

  it('keeps the newest 1,000 commands', () => {
    const { ledger } = many(1_005);
    expect(ledger.list()).toMatchObject({ dropped: 5 });
    expect(ledger.list().commands).toHaveLength(1_000);
    expect(() => ledger.choose(5)).toThrow('command 5 does not exist; commands 6 to 1005 are kept');
    expect(ledger.choose(6)).toMatchObject({ number: 6, line: 'c6' });
    expect(ledger.choose(1_005)).toMatchObject({ number: 1_005 });
    expect(() => ledger.choose(1_006)).toThrow(/command 1006 does not exist/);
  });

  it('keeps the characters within their limit', () => {
    const marked = many(9, { maxCommands: 100, maxCharacters: 6 });
    expect(marked.commands).toEqual(['c7:0', 'c8:0', 'c9:0']);
  });

  it('lists the newest commands, including the running one', () => {
    const marked = many(3).mark('C', line('c4'));
    expect(marked.ledger.list({ last: 2 }).commands.map(brief)).toEqual(['c3:0', 'c4:...']);
  });

  it('explains why it has no command', () => {
    expect(() => new MarkedLedger().ledger.choose('last')).toThrow(/has not reported any commands/);
    // Its start files can also replace it: `exec zsh`.
    expect(new MarkedLedger({ nonce }).ledger.list().integrationReason).toBe(
      'the shell has not marked a prompt; it is starting, or its start files replaced it',
    );
    const { ledger } = new MarkedLedger({ reason: 'it is turned off' });
    expect(() => ledger.choose('last')).toThrow(/any commands: it is turned off; run bash/);
    expect(ledger.list().integrationReason).toBe('it is turned off');
    expect(() => new MarkedLedger().mark('A').ledger.choose('last')).toThrow(/no command has run/);
    expect(() => new MarkedLedger().ledger.choose(0)).toThrow(/command is 0/);
  });

  it('prefers an ended command to the running one as the last', () => {
    expect(many(1).mark('C', line('c2')).ledger.choose('last').line).toBe('c1');
  });

  it('is starting until the first mark of an integrated shell', () => {
    expect(new MarkedLedger().ledger.starting).toBe(false);
    const marked = new MarkedLedger({ nonce });
    expect([marked.ledger.starting, marked.mark('A').ledger.starting]).toEqual([true, true]);
    expect(marked.ours('A').ledger.starting).toBe(false);
  });

  it.each([0, -1, 1.5, 1_001, Number.NaN])('refuses to list the last %s', (last) => {
    expect(() => many(1).ledger.list({ last })).toThrow(/last is/);
  });

  it('finds the first command that ended after an offset', () => {
    const { unverified } = many(3).mark('C', line('c4')).ledger;
    const ends = [0, 10, 11, 30, 50, 51].map(
      (offset) => unverified?.endedAfter(offset)?.line ?? null,
    );
    expect(ends).toEqual(['c1', 'c1', 'c2', 'c2', 'c3', null]);
  });
});

describe('with any marks', () => {
  const letter = fc.constantFrom('A', 'B', 'C', 'D', 'E', 'U');
  const proof = fc.oneof(
    fc.constantFrom<Partial<MarkEvent>>({}, { nonce: 'other' }),
    fc.nat({ max: 5 }).map((promptNumber) => ({ nonce: `${nonce}.${promptNumber}` })),
  );
  const prompt = fc.constantFrom<Partial<MarkEvent>>(
    ...[{}, { prompt: 'continuation' as const }, { prompt: 'right' as const }],
  );
  const step = fc.tuple(letter, proof, prompt);
  const limits = { maxCommands: 5, maxCharacters: 1_000 };

  it('commands are numbered without gaps, do not overlap, and only the last may run', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), fc.boolean(), (steps, proves) => {
        const marked = new MarkedLedger({ limits, ...(proves ? { nonce } : {}) });
        for (const [each, proven, kind] of steps) {
          marked.mark(each, { ...proven, ...(each === 'A' ? kind : {}) });
          const { commands, dropped } = marked.ledger.list();
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
          if (marked.ledger.running !== null) expect(marked.ledger.prompt).toBeNull();
        }
      }),
      runs(300),
    );
  });

  /** What the ledger says for certain. */
  const verified = ({ ledger }: MarkedLedger) => ({
    commands: ledger
      .list()
      .commands.filter((each) => !each.unverified)
      .map(brief),
    numbers: ledger.list().commands.flatMap((each) => (each.unverified ? [] : each.number)),
    prompt: ledger.prompt === null,
    typing: ledger.typing === null,
    continues: ledger.continues,
    running: ledger.running && brief(ledger.running),
    ended: ledger.endedAfter(0)?.number,
    typed: ledger.typedAfter(0).map((each) => each.line),
    status: ledger.statusWithoutCommand(0),
    starting: ledger.starting,
  });
  const forged = fc.tuple(letter, fc.constantFrom({}, { nonce: 'other' }, { nonce }), prompt);
  const event = fc.tuple(
    fc.nat({ max: 2 }),
    fc.constantFrom('marked' as const, 'elsewhere' as const, 'none' as const),
  );
  const any = fc.oneof(
    fc.record({ ours: step }),
    fc.record({ forged }),
    fc.record({ foreground: event }),
  );

  it('marks without the nonce never change what marks with it say, wherever they are', () => {
    fc.assert(
      fc.property(fc.array(any, { maxLength: 60 }), (all) => {
        const withOthers = new MarkedLedger({ nonce });
        const alone = new MarkedLedger({ nonce });
        for (const each of all) {
          if ('foreground' in each) {
            withOthers.ledger.noteForeground(withOthers.position, ...each.foreground);
            continue;
          }
          const [name, proof, kind] = 'ours' in each ? each.ours : each.forged;
          const more = { ...status(name === 'D' ? 3 : 0), ...proof, ...(name === 'A' ? kind : {}) };
          withOthers.mark(name, more);
          if (proof.nonce?.startsWith(`${nonce}.`)) alone.mark(name, more);
          expect(verified(withOthers)).toEqual(verified(alone));
        }
      }),
      runs(300),
    );
  });
});

describe('marks without the nonce', () => {
  const shown = () => new MarkedLedger().mark('A').mark('B');
  const position = { offset: 90, line: 9, col: 0 };

  it('are forgotten if another program came to the foreground after their prompt', () => {
    const marked = shown();
    marked.ledger.noteForeground(position, 7, 'marked');
    expect(marked.ledger.unverified?.prompt).not.toBeNull();
    marked.ledger.noteForeground(position, 8, 'none');
    expect(marked.ledger.unverified?.prompt).toBeNull();
  });

  it('are kept while their command has the foreground', () => {
    const marked = shown();
    marked.ledger.noteForeground(position, 7, 'marked');
    marked.mark('C', line('vim'));
    marked.ledger.noteForeground(position, 8, 'none');
    expect(marked.mark('D', status(0)).mark('A').mark('B').commands).toEqual(['vim:0']);
    marked.ledger.noteForeground(position, 7, 'marked');
    expect(marked.ledger.unverified?.prompt).not.toBeNull();
  });

  it('leave no command running if a program shows its prompt elsewhere', () => {
    const marked = shown().mark('C', line('exit'));
    marked.ledger.noteForeground(position, 7, 'elsewhere');
    expect(marked.ledger.list().commands).toMatchObject([
      { line: 'exit', state: 'ended', exitCode: null, to: position },
    ]);
  });
});
