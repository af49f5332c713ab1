import { describe, expect, it, vi } from 'vitest';
import { deferred } from '#base';
import { VtrError } from '#model';
import type { Foreground } from '#pty';
import { FakePty } from '../../../test/support/pty/fake-pty.ts';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';
import { Replies, type ReplyParts } from './replies.ts';

const kilobyte = Buffer.alloc(1024, 'r');

/** Waits for the answers of the terminal and of the writes. */
const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

function begin(parts: Partial<ReplyParts> = {}) {
  const pty = new FakePty();
  const clock = new VirtualClock();
  const replies = new Replies({
    pty,
    clock,
    runningCommand: () => null,
    showsPrompt: () => false,
    outputApplied: async () => {},
    ...parts,
  });
  const send = async (text: string | Uint8Array, answersTo = 1) => {
    replies.send(Buffer.from(text), answersTo);
    await settled();
  };
  /** Lets time pass until the replies were looked at again. */
  const passes = async (ms: number) => {
    for (let left = ms; left > 0; left -= 50) {
      clock.advance(50);
      await settled();
    }
  };
  return { pty, clock, replies, send, passes };
}

describe('replies', () => {
  it('are one write each', async () => {
    const { pty, replies, send } = begin();
    await send('one');
    replies.send(null, 1);
    await send('two');
    expect(pty.written).toEqual(['one', 'two']);
  });

  it('wait for the program up to 4 KiB; later ones are dropped', async () => {
    const { pty, replies } = begin();
    pty.holdsWrites = true;
    for (let count = 0; count < 1000; count++) replies.send(kilobyte, 1);
    await settled();
    expect(pty.written).toHaveLength(4);
    expect(replies.droppedBytes).toBe(996 * kilobyte.length);
  });

  it.each([
    ['written', null],
    ['refused', new VtrError('INPUT_BACKLOG', 'full')],
  ])('make room for others when they are %s', async (_what, failure) => {
    const { pty, replies } = begin();
    pty.holdsWrites = true;
    for (let count = 0; count < 10; count++) replies.send(kilobyte, 1);
    await settled();
    pty.releaseWrites(failure);
    await settled();
    for (let count = 0; count < 10; count++) replies.send(kilobyte, 1);
    await settled();
    expect(pty.written).toHaveLength(8);
  });

  it('are counted as dropped if the program does not read what the kernel has taken', async () => {
    const { pty, replies, send } = begin();
    pty.failure = new VtrError('INPUT_BACKLOG', 'the program does not read');
    await send(kilobyte);
    expect(replies.droppedBytes).toBe(kilobyte.length);
  });

  it('to queries that have been answered are not sent', async () => {
    const { pty, send } = begin({ answeredTo: 10 });
    for (const answersTo of [9, 10, 11]) await send(`to ${answersTo}`, answersTo);
    expect(pty.written).toEqual(['to 11']);
    expect(pty.answers).toEqual([11]);
  });

  it('to a program that has ended are ignored', async () => {
    const { pty, send } = begin();
    pty.failure = new VtrError('SESSION_NOT_RUNNING', 'the program has ended');
    await send(kilobyte);
  });
});

/** The foreground while a program reads keys, or lines. */
const reading = (name: string, pid: number, canonical = false): Foreground => ({
  program: { pid, name },
  isLeader: pid === 1,
  readsTerminal: true,
  alsoWaits: false,
  modes: { echo: canonical, canonical },
});

describe('a reply in canonical mode', () => {
  const lines = reading('ask', 2, true);

  it.each<[string, Foreground, string[]]>([
    ['is sent when the program reads keys', reading('ask', 2), ['reply']],
    ['is dropped when the shell reads keys again', reading('bash', 1), []],
    ['is sent to another program that reads keys, as of a script', reading('dd', 3), ['reply']],
    ['waits', lines, []],
  ])('%s', async (_what, next, written) => {
    const { pty, send, passes } = begin();
    pty.facts = { foreground: lines, modes: null };
    await send('reply');
    expect(pty.written).toEqual([]);
    pty.facts = { foreground: next, modes: null };
    await passes(100);
    expect(pty.written).toEqual(written);
  });

  it('asks only for the modes while it waits: a look at the foreground may list all processes', async () => {
    const { pty, send, passes } = begin();
    pty.facts = { foreground: lines, modes: { echo: true, canonical: true } };
    const looks = vi.spyOn(pty, 'foregroundProgram');
    await send('reply');
    await passes(1_000);
    expect(looks).toHaveBeenCalledTimes(1);
    pty.facts = { foreground: reading('ask', 2), modes: { echo: false, canonical: false } };
    await passes(100);
    expect(looks).toHaveBeenCalledTimes(2);
    expect(pty.written).toEqual(['reply']);
  });

  it('is dropped when nobody reads keys for long', async () => {
    const { pty, clock, send, passes } = begin();
    pty.facts = { foreground: lines, modes: null };
    await send('reply');
    await passes(6_000);
    pty.facts = { foreground: reading('ask', 2), modes: null };
    await passes(100);
    expect([pty.written, clock.pending]).toEqual([[], 0]);
  });

  it('keeps the order', async () => {
    const { pty, send, passes } = begin();
    pty.facts = { foreground: lines, modes: null };
    await send('one');
    await send('two');
    pty.facts = { foreground: reading('ask', 2), modes: null };
    await send('three');
    await passes(100);
    expect(pty.written).toEqual(['one', 'two', 'three']);
  });

  it('is dropped by a shell without marks that shows its prompt', async () => {
    const { pty, send, passes } = begin({ showsPrompt: () => true });
    pty.facts = { foreground: reading('bash', 1, true), modes: null };
    await send('reply');
    pty.facts = { foreground: reading('bash', 1), modes: null };
    await passes(100);
    expect(pty.written).toEqual([]);
  });

  it('waits for nothing when it is disposed', async () => {
    const { pty, clock, replies, send } = begin();
    pty.facts = { foreground: lines, modes: null };
    await send('reply');
    replies.dispose();
    await settled();
    expect(clock.pending).toBe(0);
  });
});

describe('a reply to a command', () => {
  it.each<[string, Foreground]>([
    ['that reads lines', reading('cat', 2, true)],
    ['of the shell, which is at its prompt by now', reading('bash', 1)],
  ])('%s is dropped when the command has ended', async (_what, foreground) => {
    let running: number | null = 7;
    const { pty, replies } = begin({ runningCommand: () => running });
    pty.facts = { foreground, modes: null };
    replies.send(Buffer.from('reply'), 1);
    running = null;
    replies.askerEnded();
    await settled();
    expect(pty.written).toEqual([]);
  });

  it('is not sent because of a foreground from before its query', async () => {
    let running = 1;
    const { promise: applied, resolve: apply } = deferred();
    const parts = { runningCommand: () => running, outputApplied: () => applied };
    const { pty, replies } = begin(parts);
    pty.facts = { foreground: reading('bash', 1), modes: null };
    replies.send(Buffer.from('one'), 1);
    await settled();
    running = 2;
    pty.facts = { foreground: reading('cat', 2, true), modes: null };
    replies.send(Buffer.from('two'), 2);
    apply();
    await settled();
    expect(pty.written).toEqual([]);
  });

  it('does not wait for a look at what a program does that the shell has started', async () => {
    const { pty, send } = begin({ runningCommand: () => 7 });
    pty.facts = { foreground: { ...reading('vim', 2), readsTerminal: false }, modes: null };
    const looks = vi.spyOn(pty, 'foreground');
    await send('reply');
    expect(looks).not.toHaveBeenCalled();
    expect(pty.written).toEqual(['reply']);
  });

  it('is not sent because of a foreground from before much output that was applied since', async () => {
    const clock = new VirtualClock();
    const prompt = reading('bash', 1);
    const { pty, send } = begin({
      clock,
      runningCommand: () => 7,
      showsPrompt: () => true,
      outputApplied: async () => {
        clock.advance(500);
        pty.facts = { foreground: prompt, modes: null };
      },
    });
    pty.facts = { foreground: reading('vim', 2), modes: null };
    await send('reply');
    await settled();
    expect(pty.written).toEqual([]);
  });

  it('is sent to a program that reads keys, and to a builtin', async () => {
    const { pty, send } = begin({ runningCommand: () => 7 });
    pty.facts = { foreground: reading('vim', 2), modes: null };
    await send('one');
    pty.facts = { foreground: reading('bash', 1), modes: null };
    await send('two');
    expect(pty.written).toEqual(['one', 'two']);
  });
});

describe('a reply whose reader left before it was written', () => {
  const refusal = new VtrError('CANCELLED', 'the program that the bytes are for has left');

  /** Sends a reply that its reader, a job of the shell, could read, and that the host refuses. */
  async function refused(parts: Partial<ReplyParts> = {}) {
    const begun = begin(parts);
    const { pty, send } = begun;
    pty.facts = { foreground: reading('ask', 2), modes: null };
    pty.holdsWrites = true;
    await send('reply');
    expect([pty.written, pty.readers]).toEqual([['reply'], [2]]);
    pty.holdsWrites = false;
    const goOn = async (foreground: Foreground) => {
      pty.facts = { foreground, modes: foreground.modes ?? null };
      pty.releaseWrites(refusal);
      await settled();
    };
    return { ...begun, goOn };
  }

  it('is not typed at the prompt of a shell without marks', async () => {
    const { pty, replies, passes, goOn } = await refused();
    await goOn(reading('bash', 1));
    await passes(100);
    expect([pty.written, replies.droppedBytes]).toEqual([['reply'], 0]);
  });

  it('is dropped when its command has ended', async () => {
    let running: number | null = 7;
    const { pty, passes, goOn } = await refused({ runningCommand: () => running });
    running = null;
    await goOn(reading('ask', 3));
    await passes(100);
    expect(pty.written).toEqual(['reply']);
  });

  it('is sent to another program that reads keys, in the order of the queries', async () => {
    const { pty, replies, passes, goOn } = await refused();
    pty.holdsWrites = true;
    replies.send(Buffer.from('next'), 2);
    await settled();
    pty.holdsWrites = false;
    await goOn(reading('dd', 3));
    await passes(100);
    expect(pty.written).toEqual(['reply', 'next', 'reply', 'next']);
    expect(pty.readers.slice(2)).toEqual([3, 3]);
  });

  it('is sent before a later one, which waited for the end of canonical mode', async () => {
    const { pty, replies, passes, goOn } = await refused();
    const canonical = { ...reading('ask', 2), modes: { canonical: true, echo: true } };
    pty.facts = { foreground: canonical, modes: canonical.modes };
    replies.send(Buffer.from('next'), 2);
    await settled();
    await goOn(reading('dd', 3));
    await passes(200);
    expect(pty.written).toEqual(['reply', 'reply', 'next']);
  });

  it('waits while nobody is in the foreground, and for that time only', async () => {
    const ended = { ...reading('', 0), program: null, isLeader: null, readsTerminal: false };
    const { pty, clock, passes, goOn } = await refused();
    pty.foregroundProgram = async () => ended;
    await goOn(ended);
    await passes(100);
    expect(pty.written).toEqual(['reply']);
    await passes(3_000);
    expect([pty.written, clock.pending]).toEqual([['reply'], 0]);
  });

  it('is dropped in the end, if programs change faster than it gets to them', async () => {
    const { pty, clock, passes, goOn } = await refused();
    pty.failure = refusal;
    await goOn(reading('dd', 3));
    const write = vi.spyOn(pty, 'write');
    await passes(3_000);
    write.mockClear();
    await passes(3_000);
    expect(write).not.toHaveBeenCalled();
    expect(clock.pending).toBe(0);
  });

  it('is forgotten with its session', async () => {
    const { pty, clock, replies, goOn } = await refused();
    replies.dispose();
    await goOn(reading('dd', 3));
    expect([pty.written, clock.pending]).toEqual([['reply'], 0]);
  });
});
