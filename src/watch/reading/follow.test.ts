import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type FollowRequest, type FollowResult, RememberedLines } from '#model';
import { runs } from '../../../test/support/run/runs.ts';
import { WatchedTerminal } from '../../../test/support/session/watched-terminal.ts';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';
import { follow } from './follow.ts';

function followed() {
  const session = new WatchedTerminal({ cols: 20, rows: 4 });
  const clock = new VirtualClock();
  const screenRows = () => session.screenRows();
  const next = (request: FollowRequest = {}) =>
    follow({ session, lines: session.all, screenRows }, { timeoutMs: 10_000, ...request }, clock);
  return { session, clock, next };
}

/** The result if the promise is fulfilled by now. */
async function settled(answer: Promise<FollowResult>): Promise<FollowResult | null> {
  return Promise.race([answer, new Promise<null>((resolve) => setImmediate(() => resolve(null)))]);
}

describe('follow', () => {
  it('returns lines at once that have left the screen', async () => {
    const { session, next } = followed();
    session.output('1\r\n2\r\n3\r\n4\r\n5\r\n');
    const first = await next();
    expect(first).toMatchObject({ text: '1\n2\n', nextLine: 2, lostLines: 0, ended: false });
    const waiting = next({ from: first.nextLine });
    expect(await settled(waiting)).toBe(null);
    session.output('6\r\n');
    expect(await waiting).toMatchObject({ text: '3\n', nextLine: 3 });
  });

  it('returns lines on the screen when they have not changed for a while', async () => {
    const { session, clock, next } = followed();
    const waiting = next();
    session.output('one\r\ntwo\r\nthr');
    clock.advance(200);
    session.output('\x1b[A\rtoo\x1b[B');
    clock.advance(60);
    expect(await settled(waiting)).toBe(null);
    clock.advance(250);
    expect(await waiting).toMatchObject({ text: 'one\ntoo\n', nextLine: 2 });
    expect(clock.pending).toBe(0);
  });

  it('returns lines again that are written over', async () => {
    const { session, clock, next } = followed();
    session.output('one\r\ntwo\r\n');
    const waiting = next();
    clock.advance(500);
    const { nextLine: from } = await waiting;
    expect(from).toBe(2);
    session.output('\x1b[A\rnew\x1b[B\r');
    const again = next({ from, shown: ['one', 'two'] });
    clock.advance(500);
    expect(await again).toMatchObject({ text: 'new\n', nextLine: 2, again: true });
  });

  it('returns the rest at the exit, as it was written', async () => {
    const { session, next } = followed();
    session.output('one\r\ntwo');
    const waiting = next();
    session.exit();
    expect(await waiting).toMatchObject({ text: 'one\ntwo', ended: true });
    expect(await next({ from: 1 })).toMatchObject({ text: 'two', ended: true });
    const { session: other, next: last } = followed();
    other.output('one\r\n\x1b[?1049h\x1b[2;2Hmenu');
    other.exit();
    expect(await last()).toMatchObject({ text: 'one\n\n menu', ended: true });
  });

  it('ends after its time, and when it is cancelled', async () => {
    const { clock, next } = followed();
    const waiting = next({ timeoutMs: 700 });
    clock.advance(700);
    expect(await waiting).toMatchObject({ text: '', nextLine: 0, ended: false });
    const cancel = new AbortController();
    const cancelled = next({ signal: cancel.signal });
    cancel.abort();
    await expect(cancelled).rejects.toMatchObject({ code: 'CANCELLED' });
    await expect(next({ signal: cancel.signal })).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(clock.pending).toBe(0);
  });

  it('returns long output in parts, and says what is lost', async () => {
    const session = new WatchedTerminal({ cols: 20, rows: 4 }, undefined, undefined, 5_000);
    const lines = session.all;
    const clock = new VirtualClock();
    session.output('x\r\n'.repeat(3_000));
    const ask = (from: number) => follow({ session, lines, screenRows: () => [] }, { from }, clock);
    const first = await ask(0);
    expect([first.text.length, first.nextLine]).toEqual([2 * 2_997, 2_997]);
    session.output(`${'y'.repeat(9)}\r\n`.repeat(50_000));
    session.exit();
    let { nextLine } = first;
    let [end, lost, ended] = [0, 0, false];
    while (!ended) {
      const part = await ask(nextLine);
      end += part.text.split('\n').length - 1;
      lost += part.lostLines;
      ({ nextLine, ended } = part);
    }
    expect(end + lost).toBe(50_003);
    expect(lost).toBeGreaterThan(0);
  });

  it('returns lines again that are erased and replaced', async () => {
    const printed = async (...writes: readonly string[]) => (await print(writes)).join('\n');
    expect(await printed('a1\r\nb1\r\n', '\x1b[2A\x1b[Ja2\r\nb2\r\n')).toBe('a1\nb1\na2\nb2');
    const clear = '\x1b[H\x1b[2J\x1b[3J';
    expect(await printed('compile\r\n', `${clear}bad\r\n1 error\r\n`)).toBe(
      'compile\nbad\n1 error',
    );
    expect(await printed('1\r\n2\r\n3\r\n4\r\n5\r\n6\r\n', `${clear}after\r\n`)).toBe(
      '1\n2\n3\n4\n5\n6\nafter',
    );
    expect(await printed('[ ] t\r\nend\r\n', '\x1b[2A\r[FAIL] t\r\n\n')).toBe(
      '[ ] t\nend\n[FAIL] t\nend',
    );
    expect(await printed('a\r\nb\r\n', '\x1b[2A\x1b[Ja\r\nb\r\n')).toBe('a\nb');
  });

  it('returns all that is there at the end, in order, and nothing twice that is not rewritten', async () => {
    const line = fc.stringMatching(/^[a-c]{1,24}$/).map((text) => `${text}\r\n`);
    const rewrite = fc.constantFrom(
      ...['\x1b[A', '\x1b[2A\r', '\x1b[J', '\x1b[K', '\r', '\x1b[H\x1b[2J\x1b[3J', '\x1b[2J'],
      ...['\x1b[H', '\x1b[L', '\x1b[M', '\x1b[3J', '\x1bM', 'x'],
    );
    const writes = (part: fc.Arbitrary<string>) =>
      fc.array(
        fc.array(part, { maxLength: 8 }).map((parts) => parts.join('')),
        { maxLength: 8 },
      );
    await fc.assert(
      fc.asyncProperty(writes(line), async (all) => {
        expect(await print(all)).toEqual(all.join('').split('\r\n').slice(0, -1));
      }),
      runs(100),
    );
    await fc.assert(
      fc.asyncProperty(writes(fc.oneof(line, rewrite)), async (all) => {
        let last: readonly string[] = [];
        const printed = await print(all, (final) => {
          last = final;
        });
        let at = 0;
        for (const row of last) at = printed.indexOf(row, at) + 1 || Number.POSITIVE_INFINITY;
        expect(at, JSON.stringify({ all, printed, last })).toBeLessThanOrEqual(printed.length);
      }),
      runs(100),
    );
  });
});

/** Writes with a pause after each part; returns the lines that a follower prints until the exit. */
async function print(
  writes: readonly string[],
  onEnd: (rows: readonly string[]) => void = () => {},
): Promise<string[]> {
  const { session, clock, next } = followed();
  const shown = new RememberedLines();
  let text = '';
  const following = (async () => {
    let request: FollowRequest = { timeoutMs: 50_000 };
    for (;;) {
      const part = await next(request);
      text += part.text;
      shown.add(part);
      if (part.ended) return;
      request = { ...request, from: part.nextLine, shown: shown.lines };
    }
  })();
  for (const [index, write] of writes.entries()) {
    session.output(write);
    await turn();
    if (index % 3 === 2) continue;
    clock.advance(250);
    await turn();
    clock.advance(250);
    await turn();
  }
  session.exit();
  await following;
  const { firstLine, endLine } = session.all.terminal;
  onEnd(Array.from(session.all.lineTexts(firstLine, endLine), (row) => row.text));
  return (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n').slice(text === '' ? 1 : 0);
}

const turn = () => new Promise((resolve) => setImmediate(resolve));
