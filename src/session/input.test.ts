import { describe, expect, it } from 'vitest';
import { maxWaitMs, VtrError } from '#model';
import { Terminal } from '#vt';
import { FakePty } from '../../test/support/pty/fake-pty.ts';
import { VirtualClock } from '../../test/support/virtual-clock.ts';
import { Input } from './input.ts';

const megabyte = 1024 * 1024;

function begin() {
  const pty = new FakePty();
  const clock = new VirtualClock();
  const terminal = new Terminal({ size: { cols: 20, rows: 4 } });
  return { pty, clock, terminal, input: new Input(pty, clock), modes: terminal.keyModes };
}

describe('input', () => {
  it('is one write a call, whatever it is made of', async () => {
    const { pty, input, modes } = begin();
    await input.sendText('first\r', modes, {});
    await input.sendKeys(['a', 'ctrl+c', { key: 'up' }, 'f5'], modes, {});
    await input.sendBytes(Uint8Array.of(0, 255), {});
    expect(pty.written).toEqual(['first\r', 'a\x03\x1b[A\x1b[15~', '\x00\xff']);
  });

  it('is put between marks when it is a paste and the program asked for them', async () => {
    const { pty, terminal, input } = begin();
    terminal.feed(Buffer.from('\x1b[?2004h'));
    await input.sendText('one\ntwo', terminal.keyModes, { paste: 'auto' });
    await input.sendText('one\ntwo', terminal.keyModes, {});
    expect(pty.written[0]).toMatch(/^\x1b\[200~one.two\x1b\[201~$/s);
    expect(pty.written[1]).toBe('one\ntwo');
  });

  it('sends no key of a list that holds an unknown one', async () => {
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

  it('of 1 MiB is accepted, of more it is not', async () => {
    const { pty, input, modes } = begin();
    await input.sendBytes(Buffer.alloc(megabyte), {});
    const tooLarge = { code: 'INPUT_TOO_LARGE', details: { bytes: megabyte + 1 } };
    await expect(input.sendBytes(Buffer.alloc(megabyte + 1), {})).rejects.toMatchObject(tooLarge);
    // Counted in bytes, not in characters.
    const text = `${'é'.repeat(megabyte / 2)}x`;
    await expect(input.sendText(text, modes, {})).rejects.toMatchObject(tooLarge);
    expect(pty.written).toHaveLength(1);
  });

  it('is what it was at the call', async () => {
    const { pty, input } = begin();
    const bytes = Buffer.from('before');
    const sent = input.sendBytes(bytes, {});
    bytes.write('after.');
    await sent;
    expect(pty.written).toEqual(['before']);
  });

  it.each([
    [undefined, 5_000],
    [Number.NaN, 5_000],
    [-1, 0],
    [0, 0],
    [250, 250],
    [Number.POSITIVE_INFINITY, maxWaitMs],
  ])('with a time-out of %s ms is withdrawn after %s', async (asked, timeoutMs) => {
    const { pty, clock, input, modes } = begin();
    pty.holdsWrites = true;
    let settled = false;
    const sent = input.sendText('x', modes, asked === undefined ? {} : { timeoutMs: asked });
    const refused = expect(sent.finally(() => (settled = true))).rejects.toMatchObject({
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

  it('that was taken in time leaves no timer behind', async () => {
    const { pty, clock, input, modes } = begin();
    pty.holdsWrites = true;
    const sent = input.sendText('x', modes, {});
    pty.releaseWrites();
    await sent;
    expect(clock.pending).toBe(0);
  });

  it('tells what else went wrong, also when its time is over by then', async () => {
    const { pty, clock, input, modes } = begin();
    pty.holdsWrites = true;
    const ended = new VtrError('SESSION_NOT_RUNNING', 'the program ended');
    const refused = expect(input.sendText('x', modes, {})).rejects.toBe(ended);
    pty.releaseWrites(ended);
    clock.advance(10_000);
    await refused;
  });
});
