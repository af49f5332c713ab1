import { describe, expect, it } from 'vitest';
import { Emitter } from '#base';
import { type KeyModes, maxWaitMs, VtrError } from '#model';
import { enterPauseMs, inputPauseMs, maxReadWaitMs } from '#pty';
import { Terminal } from '#vt';
import { FakePty } from '../../../test/support/pty/fake-pty.ts';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';
import { Input } from './input.ts';

const megabyte = 1024 * 1024;

function begin() {
  const pty = new FakePty();
  const clock = new VirtualClock();
  const terminal = new Terminal({ size: { cols: 20, rows: 4 } });
  return { pty, clock, terminal, input: new Input({ pty, clock }), modes: terminal.keyModes };
}

describe('input', () => {
  it('of one call is one write', async () => {
    const { pty, input, modes } = begin();
    await input.sendText('first\r', modes, {});
    await input.sendKeys(['a', 'ctrl+c', { key: 'up' }, 'f5'], modes, {});
    await input.sendBytes(Uint8Array.of(0, 255), {});
    expect(pty.written).toEqual(['first\r', 'a\x03\x1b[A\x1b[15~', '\x00\xff']);
  });

  it('has releases and repeats as the program wants them', async () => {
    const { pty, input, terminal, modes } = begin();
    const release = { key: 'a', action: 'release' } as const;
    await expect(input.sendKeys([release], modes, {})).resolves.toEqual({});
    await input.sendKeys([{ key: 'a', action: 'repeat' }, release], modes, {});
    terminal.feed(Buffer.from('\x1b[>11u'));
    await input.sendKeys([{ key: 'a', action: 'repeat' }, release], terminal.keyModes, {});
    expect(pty.written).toEqual(['a', '\x1b[97;1:2u\x1b[97;1:3u']);
  });

  it('fails with NO_INPUT for keys that send nothing in the modes of the program', async () => {
    const { pty, input, terminal } = begin();
    const keys = ['left_shift', 'media_play', { key: 'left_shift', action: 'release' }] as const;
    await expect(input.sendKeys(keys, terminal.keyModes, {})).rejects.toMatchObject({
      code: 'NO_INPUT',
      message: expect.stringMatching(/^left_shift, media_play: nothing is sent/),
    });
    terminal.feed(Buffer.from('\x1b[>8u'));
    await input.sendKeys(keys.slice(0, 2), terminal.keyModes, {});
    expect(pty.written).toHaveLength(1);
  });

  it('pauses after an escape key that another key follows', async () => {
    const { pty, input, terminal, modes } = begin();
    await input.sendKeys(['escape', 'q'], modes, {});
    await input.sendKeys(['a', 'escape', 'up', 'escape', 'escape', ':'], modes, {});
    await input.sendKeys(['escape'], modes, {});
    await input.sendKeys(['alt+q', 'up', 'q'], modes, {});
    await input.sendText('\x1bq', modes, {});
    terminal.feed(Buffer.from('\x1b[>1u'));
    await input.sendKeys(['escape', 'q'], terminal.keyModes, {});
    expect(pty.written).toEqual([
      '\x1bq',
      'a\x1b\x1b[A\x1b\x1b:',
      '\x1b',
      '\x1bq\x1b[Aq',
      '\x1bq',
      '\x1b[27uq',
    ]);
    expect(pty.pauses).toEqual([[1], [2, 6, 7], [], [], [], []]);
  });

  describe('to a program that is more than a line editor', () => {
    function composer() {
      const parts = begin();
      const keepsEnterApart = () => true;
      return { ...parts, input: new Input({ ...parts, keepsEnterApart }) };
    }

    it.each([
      ['a line with CR', 'hi\r', 'never', 'hi\r', [2]],
      ['a line with LF, which is Enter', 'hi\n', 'never', 'hi\r', [2]],
      ['a line with CR LF', 'hi\r\n', 'auto', 'hi\r', [2]],
      ['lines', 'a\nb\n', 'never', 'a\nb\r', [3]],
      ['an Enter only', '\r', 'never', '\r', [0]],
      ['no Enter', 'hi', 'never', 'hi', []],
      ['lines as a paste', 'a\nb\n', 'auto', '\x1b[200~a\rb\x1b[201~\r', [15]],
      ['a line and an empty one', 'a\n\n', 'auto', '\x1b[200~a\x1b[201~\r\r', [13]],
      ['a paste', 'a\n', 'supported', '\x1b[200~a\r\x1b[201~', []],
    ] as const)('has the Enter apart that ends %s', async (_what, text, paste, written, enters) => {
      const { pty, input, terminal } = composer();
      terminal.feed(Buffer.from('\x1b[?2004h'));
      await input.sendText(text, terminal.keyModes, { paste });
      expect([pty.written, pty.enters]).toEqual([[written], [enters]]);
    });

    it('encodes that Enter as the program wants', async () => {
      const { pty, input, terminal } = composer();
      terminal.feed(Buffer.from('\x1b[>8u'));
      await input.sendText('hi\n', terminal.keyModes, {});
      expect(pty.written).toEqual(['hi\x1b[13u']);
    });

    it('has each Enter apart from the keys before it', async () => {
      const { pty, input, modes } = composer();
      await input.sendKeys(['h', 'i', 'enter'], modes, {});
      await input.sendKeys(['enter', 'down', 'ctrl+m', 'enter'], modes, {});
      await input.sendKeys(['escape', 'enter'], modes, {});
      await input.sendKeys(['shift+enter', 'a'], modes, {});
      expect(pty.written).toEqual(['hi\r', '\r\x1b[B\r\r', '\x1b\r', '\ra']);
      expect(pty.enters).toEqual([[2], [0, 4], [], [0]]);
      expect(pty.pauses).toEqual([[], [], [1], []]);
    });

    it.each<[string, (input: Input, modes: KeyModes) => Promise<unknown>]>([
      ['text and Enter', (input, modes) => input.sendText('some text\r', modes, {})],
      ['keys', (input, modes) => input.sendKeys([...'some text', 'enter'], modes, {})],
      [
        'Enter after text',
        (input, modes) => {
          void input.sendText('some text', modes, {});
          return input.sendKeys(['enter'], modes, {});
        },
      ],
    ])('tells the host when the screen shows what was typed: %s', async (_what, send) => {
      const parts = begin();
      const changes = new Emitter<void>();
      let rows = ['> ', 'some text'];
      const input = new Input({
        ...parts,
        keepsEnterApart: () => true,
        screenRows: () => rows,
        onChange: (listener) => changes.on(listener),
      });
      const { pty, modes } = parts;
      pty.holdsWrites = true;
      const sending = send(input, modes);
      let isTold = false;
      void pty.shown.at(-1)?.then(() => {
        isTold = true;
      });
      const change = async (...now: string[]) => {
        rows = now;
        changes.emit();
        await Promise.resolve();
        return isTold;
      };
      expect(await change('> some te', 'some text')).toBe(false);
      expect(await change('> some text', 'some text')).toBe(true);
      pty.releaseWrites();
      await sending;
      expect(changes.listenerCount).toBe(0);
    });

    it('tells of each text whether the screen shows it, also if another is sent meanwhile', async () => {
      const parts = begin();
      const changes = new Emitter<void>();
      let rows = ['> '];
      const input = new Input({
        ...parts,
        keepsEnterApart: () => true,
        screenRows: () => rows,
        onChange: (listener) => changes.on(listener),
      });
      const { pty, modes } = parts;
      const write = pty.write.bind(pty);
      pty.write = async (bytes, options) => {
        const receipt = await write(bytes, options);
        options?.onReceipt?.({});
        return receipt;
      };
      pty.holdsWrites = true;
      const texts = ['some first text\r', 'quite another\r'];
      const receipts = texts.map((text) => input.sendText(text, modes, {}));
      const counts: number[] = [];
      for (const [index, shown] of pty.shown.entries()) void shown?.then(() => counts.push(index));
      rows = ['> some first text'];
      changes.emit();
      await Promise.resolve();
      expect(counts).toEqual([0]);
      pty.releaseWrites();
      expect(await Promise.all(receipts)).toEqual([{ shown: true }, { shown: false }]);
    });

    it('has more time', async () => {
      const { pty, clock, input, modes } = composer();
      pty.holdsWrites = true;
      const sending = input.sendText('hi\r', modes, { timeoutMs: 50 });
      clock.advance(maxReadWaitMs + enterPauseMs + 49);
      pty.releaseWrites();
      await expect(sending).resolves.toEqual({});
    });
  });

  it('has more time if it pauses', async () => {
    const { pty, clock, input, modes } = begin();
    pty.holdsWrites = true;
    const keys = Array.from({ length: 101 }, () => 'escape');
    const sending = input.sendKeys(keys, modes, { timeoutMs: 50 });
    clock.advance(100 * inputPauseMs + 49);
    pty.releaseWrites();
    await expect(sending).resolves.toEqual({});
  });

  it('pauses at most 100 times', async () => {
    const { pty, input, modes } = begin();
    const keys = Array.from({ length: 102 }, () => 'escape');
    await expect(input.sendKeys(keys, modes, {})).rejects.toMatchObject({
      code: 'INPUT_TOO_LARGE',
      message:
        'the input needs 101 pauses, after escape, before enter and between pieces of a long text; send at most 100 at once',
    });
    expect(pty.written).toEqual([]);
  });

  it('is bracketed if it is a paste and the program enabled bracketed paste', async () => {
    const { pty, terminal, input } = begin();
    terminal.feed(Buffer.from('\x1b[?2004h'));
    const pasted = await input.sendText('one\ntwo', terminal.keyModes, { paste: 'auto' });
    const typed = await input.sendText('one\ntwo', terminal.keyModes, {});
    expect(pty.written[0]).toMatch(/^\x1b\[200~one.two\x1b\[201~$/s);
    expect(pty.written[1]).toBe('one\ntwo');
    expect([pasted.pasted, typed.pasted]).toEqual([true, undefined]);
  });

  it('is typed on the alternate screen, unless the caller requests a paste', async () => {
    const { pty, terminal, input } = begin();
    terminal.feed(Buffer.from('\x1b[?2004h\x1b[?1049h'));
    const modes = terminal.keyModes;
    const typed = await input.sendText(':2d\n:wq\n', modes, { paste: 'auto' });
    const pasted = await input.sendText('one\ntwo', modes, { paste: 'supported' });
    expect(pty.written).toEqual([':2d\n:wq\n', '\x1b[200~one\rtwo\x1b[201~']);
    expect([typed.pasted, pasted.pasted]).toEqual([undefined, true]);
  });

  it('sends none of the keys if one is unknown', async () => {
    const { pty, input, modes } = begin();
    await expect(input.sendKeys(['a', 'entr'], modes, {})).rejects.toMatchObject({
      code: 'INVALID_KEY',
      message: expect.stringContaining('enter'),
    });
    expect(pty.written).toEqual([]);
  });

  it.each([
    ['no text', ({ input, modes }: ReturnType<typeof begin>) => input.sendText('', modes, {})],
    ['no key', ({ input, modes }: ReturnType<typeof begin>) => input.sendKeys([], modes, {})],
    ['no byte', ({ input }: ReturnType<typeof begin>) => input.sendBytes(Buffer.alloc(0), {})],
  ])('of %s is refused', async (_what, send) => {
    const fixture = begin();
    await expect(send(fixture)).rejects.toMatchObject({ code: 'NO_INPUT' });
    expect(fixture.pty.written).toEqual([]);
  });

  it('of 1 MiB is accepted, of more refused', async () => {
    const { pty, input, modes } = begin();
    await input.sendBytes(Buffer.alloc(megabyte), {});
    const tooLarge = { code: 'INPUT_TOO_LARGE', details: { bytes: megabyte + 1 } };
    await expect(input.sendBytes(Buffer.alloc(megabyte + 1), {})).rejects.toMatchObject(tooLarge);
    // Counted in bytes, not in characters.
    const text = `${'é'.repeat(megabyte / 2)}x`;
    await expect(input.sendText(text, modes, {})).rejects.toMatchObject(tooLarge);
    expect(pty.written).toHaveLength(1);
  });

  it('is copied at the call', async () => {
    const { pty, input } = begin();
    const bytes = Buffer.from('before');
    const sending = input.sendBytes(bytes, {});
    bytes.write('after.');
    await sending;
    expect(pty.written).toEqual(['before']);
  });

  it.each([
    [undefined, 5_000],
    [Number.NaN, 5_000],
    [-1, 0],
    [0, 0],
    [250, 250],
    [Number.POSITIVE_INFINITY, maxWaitMs],
  ])('with a timeout of %s ms is withdrawn after %s ms', async (limit, timeoutMs) => {
    const { pty, clock, input, modes } = begin();
    pty.holdsWrites = true;
    let settled = false;
    const sending = input.sendText('x', modes, limit === undefined ? {} : { timeoutMs: limit });
    const refused = expect(sending.finally(() => (settled = true))).rejects.toMatchObject({
      code: 'INPUT_TIMEOUT',
      message: expect.stringContaining(`within ${timeoutMs} ms`),
      details: { acceptedBytes: 0 },
    });
    if (timeoutMs > 0) clock.advance(timeoutMs - 1);
    await Promise.resolve();
    expect(settled).toBe(false);
    clock.advance(1);
    await refused;
    expect(clock.pending).toBe(0);
  });

  it.each([
    ['has got none of it', '\x1b[?2004h', 0, false],
    ['has got a part of it', '\x1b[?2004h', 8, true],
    ['has got all but its line end', '\x1b[?2004h', 15, false],
    ['does not tell pastes apart', '', 2, false],
  ])('that is a paste ends for a program that %s', async (_, output, accepted, isEnded) => {
    const { pty, clock, input, terminal } = begin();
    terminal.feed(Buffer.from(output));
    Object.assign(pty, { holdsWrites: true, acceptedOfHeld: accepted });
    const sending = input.sendText('a\nb\n', terminal.keyModes, { paste: 'auto' });
    const refused = expect(sending).rejects.toMatchObject({ code: 'INPUT_TIMEOUT' });
    clock.advance(5_000);
    await refused;
    expect(pty.written.slice(1)).toEqual(isEnded ? ['\x1b[201~'] : []);
  });

  it('accepted in time leaves no timer behind', async () => {
    const { pty, clock, input, modes } = begin();
    pty.holdsWrites = true;
    const sending = input.sendText('x', modes, {});
    pty.releaseWrites();
    await sending;
    expect(clock.pending).toBe(0);
  });

  it('fails with the error of the write, also after its timeout', async () => {
    const { pty, clock, input, modes } = begin();
    pty.holdsWrites = true;
    const ended = new VtrError('SESSION_NOT_RUNNING', 'the program ended');
    const refused = expect(input.sendText('x', modes, {})).rejects.toBe(ended);
    pty.releaseWrites(ended);
    clock.advance(10_000);
    await refused;
  });
});
