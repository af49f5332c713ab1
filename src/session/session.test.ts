import { describe, expect, it } from 'vitest';
import { type ResizeEvent, type SessionEvent, VtrError } from '#model';
import { type PrintedText, Terminal } from '#vt';
import { fakeSession } from '../../test/support/session/fake-session.ts';

const size = { cols: 20, rows: 4 };

describe('a session', () => {
  it('feeds the terminal, then publishes the event, and replies to the program', async () => {
    const { session, pty } = fakeSession();
    const values: unknown[] = [];
    session.view.onEvent(({ type, revision }) => {
      values.push([type, revision, session.screen().text[0]]);
    });
    pty.output('one\x1b[6n');
    pty.output(' two');
    expect(values).toEqual([
      ['output', 1, 'one'],
      ['output', 2, 'one two'],
    ]);
    await expect.poll(() => pty.written).toEqual(['\x1b[1;4R']);
  });

  it.each([-86_400_000, 86_400_000])(
    'keeps its pace and its silence when the time of day is set by %d ms',
    (aheadMs) => {
      const { session, pty, clock } = fakeSession();
      const output = () => {
        pty.output('line\r\n');
        clock.advance(600);
      };
      for (let count = 0; count < 3; count++) output();
      clock.setAhead(aheadMs);
      output();
      // It printed each 600 ms, so it may go on for twice that.
      const states = [600, 1_300].map((ms) => {
        clock.advance(ms - session.view.silentMs());
        return [session.view.isAtOwnPace(), session.view.isSilentFor(1_000)];
      });
      expect(states).toEqual([
        [true, false],
        [false, true],
      ]);
    },
  );

  it('publishes titles and bells after their output', () => {
    const { session, pty } = fakeSession();
    const events: SessionEvent[] = [];
    session.view.onEvent((event) => events.push(event));
    pty.output('\x07\x1b]2;build\x07\x07');
    expect(events).toMatchObject([
      { type: 'output', revision: 1, offset: 0 },
      { type: 'title', revision: 1, title: 'build' },
      { type: 'bell', revision: 1, count: 2 },
    ]);
    expect(session.info().title).toBe('build');
  });

  it('publishes marks with their position in the output', () => {
    const { session, pty } = fakeSession();
    const events: SessionEvent[] = [];
    session.view.onEvent((event) => events.push(event));
    pty.output('one\r\n');
    pty.output('$ \x1b]133;B\x07');
    expect(events.at(-1)).toMatchObject({
      type: 'mark',
      mark: 'promptEnd',
      revision: 2,
      position: { offset: 7, line: 1, col: 2 },
    });
  });

  it('publishes the exit as the last event, with the exit status', () => {
    const { session, pty, clock } = fakeSession();
    const texts: string[] = [];
    session.view.onEvent(({ type }) => texts.push(`${type} ${session.info().state}`));
    pty.output('last words');
    clock.advance(50);
    pty.announceExit({ code: 3, signal: null });
    expect(texts).toEqual(['output running', 'exit exited']);
    expect(session.info()).toMatchObject({
      exitStatus: { code: 3, signal: null },
      exitedAtMs: clock.wallMs(),
      createdAtMs: clock.wallMs() - 50,
    });
    expect(session.screen().text[0]).toBe('last words');
  });

  it('continues if an observer throws, and reports it', () => {
    const { session, pty, faults } = fakeSession();
    const texts: string[] = [];
    session.view.onEvent(() => {
      throw new Error('observer');
    });
    session.view.onEvent(({ type }) => texts.push(type));
    pty.output('a');
    pty.output('b');
    expect(texts).toEqual(['output', 'output']);
    expect(faults).toEqual([new Error('observer')]);
  });

  it('continues after a defect of the terminal', () => {
    class Faulty extends Terminal {
      override feedToFrameBoundary(bytes: Uint8Array): number {
        if (bytes[0] === 0x21) throw new Error('defect');
        return super.feedToFrameBoundary(bytes);
      }
    }
    const { session, pty, faults } = fakeSession({}, new Faulty({ size }));
    const texts: string[] = [];
    session.view.onEvent(({ type }) => texts.push(type));
    pty.output('!');
    pty.output('still here');
    expect(faults).toEqual([new Error('defect')]);
    expect(texts).toEqual(['output', 'output']);
    expect(session.screen().text[0]).toBe('still here');
  });

  it('has the offset of the shown output in a snapshot, not that of the output read', () => {
    const { session, pty } = fakeSession();
    const offsets: (number | undefined)[] = [];
    session.view.onEvent(() => offsets.push(session.view.snapshotting().next()?.offset));
    pty.undelivered = 100;
    pty.output('abc');
    pty.output('de');
    expect(offsets).toEqual([3, 5]);
  });

  it('publishes a resize only if the size changes, and always calls the system', async () => {
    const { session, pty } = fakeSession();
    const events: SessionEvent[] = [];
    session.view.onEvent((event) => events.push(event));
    await session.resize(size);
    await session.resize({ cols: 10, rows: 2 });
    expect(pty.sizes).toEqual([size, { cols: 10, rows: 2 }]);
    expect(events).toMatchObject([{ type: 'resize', revision: 1, size: { cols: 10, rows: 2 } }]);
    expect(session.info().size).toEqual({ cols: 10, rows: 2 });
  });

  it('applies a resize at its offset in the output, before the call returns', async () => {
    const { session, pty } = fakeSession();
    const values: unknown[] = [];
    session.view.onEvent(({ type }) => values.push([type, session.info().size.cols]));
    pty.output('old');
    pty.beforeResize = ' size';
    await session.resize({ cols: 10, rows: 2 });
    pty.output('new');
    expect(values).toEqual([
      ['output', 20],
      ['output', 20],
      ['resize', 10],
      ['output', 10],
    ]);
  });

  describe('at a resize erases', () => {
    const prompt = '\x1b[?2004h\x1b]133;A\x07long prompt\r\n$ \x1b]133;B\x07';
    const lastLine = prompt.replace('A', 'A;redraw=last');

    async function erasedBy(output: string, typed?: string, more?: string) {
      const { session, pty } = fakeSession();
      const events: SessionEvent[] = [];
      session.view.onEvent((event) => events.push(event));
      pty.output(output);
      if (typed !== undefined) await session.sendText(typed, {});
      if (more !== undefined) pty.output(more);
      await session.resize({ cols: 10, rows: 2 });
      const { erasedFrom } = events.find((event) => event.type === 'resize') as ResizeEvent;
      const note = erasedFrom && `erase ${erasedFrom.row} ${erasedFrom.col}`;
      expect(pty.notes.map(([each]) => each)).toEqual(note === undefined ? [] : [note]);
      return erasedFrom ?? null;
    }

    it.each([
      [
        'the prompt of a line editor, with what is typed',
        `out\r\n${prompt}typed`,
        { row: 1, col: 0 },
      ],
      ['it behind output without a line end', `out${prompt}`, { row: 0, col: 3 }],
      ['only its last line, if the shell draws only that again', lastLine, { row: 1, col: 0 }],
      ['nothing, if it draws nothing again', prompt.replace('A', 'A;redraw=0'), null],
      ['nothing without a prompt', '\x1b[?2004hout', null],
      ['nothing before the prompt is complete', prompt.slice(0, -6), null],
      ['nothing while a command runs', `${prompt}ls\r\n\x1b]133;C\x07out`, null],
      ['nothing where no line editor reads', `${prompt}\x1b[?2004l`, null],
      ['nothing on the alternate screen', `${prompt}\x1b[?1049h`, null],
      ['nothing within a sequence', `${prompt}\x1b[`, null],
    ])('%s', async (_what, output, erased) => {
      expect(await erasedBy(output)).toEqual(erased);
    });

    it('nothing above which another program has printed, also if something was typed since', async () => {
      expect(await erasedBy(`${prompt}done 1\r\n`)).toBe(null);
      expect(await erasedBy(`${prompt}done 1\r\ndone 2\r\n`, 'l', 'l')).toBe(null);
      expect(await erasedBy(`${prompt}done 1\r\n${prompt}`)).toEqual({ row: 2, col: 0 });
      expect(await erasedBy(`${prompt}${'x'.repeat(18)}\r\n`)).toEqual({ row: 0, col: 0 });
      // fish begins a line where its prompt leaves little room.
      expect(await erasedBy(`${prompt}\r\n`, 'l', 'l')).toEqual({ row: 0, col: 0 });
    });

    it('nothing after an Enter, unless a shell with the nonce has written since', async () => {
      expect(await erasedBy(prompt, 'ls')).toEqual({ row: 0, col: 0 });
      expect(await erasedBy(prompt, 'ls\r')).toBe(null);
      expect(await erasedBy(prompt, 'ls\r', 'ls\r\n> ')).toBe(null);
      expect(await erasedBy(prompt, '\r', `\r\n${prompt}`)).toEqual({ row: 2, col: 0 });
    });
  });

  it('keeps its size if the system refuses another one', async () => {
    const { session, pty } = fakeSession();
    pty.failure = new VtrError('SESSION_NOT_RUNNING', 'the program has ended');
    await expect(session.resize({ cols: 10, rows: 2 })).rejects.toMatchObject({
      code: 'SESSION_NOT_RUNNING',
      message: 'the program has ended',
    });
    expect(session.info()).toMatchObject({ size, revision: 0 });
  });

  it('copies the size at the call', async () => {
    const { session } = fakeSession();
    const size = { cols: 10, rows: 2 };
    const resized = session.resize(size);
    size.cols = 99;
    await resized;
    expect(session.info().size).toEqual({ cols: 10, rows: 2 });
  });

  it('computes the printed text once for all observers', () => {
    let calls = 0;
    class Counting extends Terminal {
      override printedText(): Iterable<PrintedText> {
        calls++;
        return super.printedText();
      }
    }
    const { session, pty } = fakeSession({}, new Counting({ size }));
    const texts: string[] = [];
    for (let count = 0; count < 3; count++) {
      session.view.onEvent(() =>
        texts.push(...[...session.view.printedText()].map(({ text }) => text)),
      );
    }
    pty.output('a');
    pty.output('b');
    expect(texts).toEqual(['a', 'a', 'a', 'ab', 'ab', 'ab']);
    expect(calls).toBe(2);
  });

  it.each([
    ['a signal that cannot be sent', 'BOGUS', /^signal "BOGUS".*TERM/],
    ['no signal', '', /^signal ""/],
  ])('refuses %s', async (_what, signal, message) => {
    const { session, pty } = fakeSession();
    await expect(session.kill(signal as 'TERM')).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: expect.stringMatching(message),
    });
    expect(pty.signals).toEqual([]);
  });
});

describe('the line at the cursor', () => {
  it.each<[string, readonly string[], string, string, string]>([
    ['text behind a prompt', ['ls'], 'ls', '$ ', 'ls'],
    [
      'text after the screen was cleared',
      ['clear\r', 'cat >'],
      '\x1b[H\x1b[2J$ cat >',
      '$ ',
      'cat >',
    ],
    ['text after the line was erased', ['ls', '\x15', 'cat >'], '\r$ \x1b[Kcat >', '$ ', 'cat >'],
    ['output', ['clear\r', 'cat >'], '\x1b[H\x1b[2J$ done', '$ done', ''],
  ])('separates %s', async (_what, inputs, output, text, typed) => {
    const { session, pty } = fakeSession();
    pty.output('$ ');
    for (const input of inputs) await session.sendText(input, {});
    pty.output(output);
    expect(session.view.lineAtCursor()).toEqual({ text, typed });
  });
});

it('does not ask for input that is being written: a long line, of which the shell has read a part', async () => {
  const { session, pty } = fakeSession();
  pty.facts = {
    foreground: {
      program: { pid: 1, name: 'zsh' },
      isLeader: true,
      readsTerminal: true,
      alsoWaits: false,
      modes: { echo: false, canonical: false },
    },
    modes: null,
  };
  const reading = async () => (await session.activity()).evidence.readingTerminal;
  expect(await reading()).toBe(true);
  pty.output('$ ');
  pty.holdsWrites = true;
  const sending = session.sendText(': long', {});
  expect(await reading()).toBe(false);
  pty.releaseWrites(null);
  await sending;
  expect(await reading()).toBe(true);
});
