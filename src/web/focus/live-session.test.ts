import { signal } from '@preact/signals';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';
import {
  type Calls,
  LinkError,
  type LinkState,
  lost,
  type StreamListener,
  silent,
} from '../link/link.ts';
import { LiveSession } from './live-session.ts';
import { asksBeforePaste, TypedInput } from './typed-input.ts';

interface Made {
  readonly method: string;
  readonly body: Record<string, unknown>;
  readonly answer: (error?: LinkError) => void;
}

interface Stream {
  readonly method: string;
  readonly body: unknown;
  readonly listener: StreamListener<object>;
}

/** A connection whose other side is the test. */
class TestCalls implements Calls {
  readonly state = signal<LinkState>('up');
  readonly calls: Made[] = [];
  readonly streams: Stream[] = [];
  readonly #ups = new Set<() => void>();

  onUp(listener: () => void): () => void {
    this.#ups.add(listener);
    if (this.state.value === 'up') listener();
    return () => this.#ups.delete(listener);
  }

  call(method: string, body: unknown): Promise<never> {
    return new Promise((resolve, reject) => {
      const answer = (error?: LinkError) =>
        error === undefined ? resolve({} as never) : reject(error);
      this.calls.push({ method, body: body as Record<string, unknown>, answer });
    });
  }

  sendFile(): Promise<never> {
    throw new Error('no file was expected');
  }

  open(method: string, body: unknown, listener: StreamListener<never>) {
    this.streams.push({ method, body, listener });
    return { close: () => {} };
  }

  /** Answers the calls of a method. */
  async answer(method: string): Promise<void> {
    for (const each of this.calls) if (each.method === method) each.answer();
    await settled();
  }

  /** The viewings that were opened. */
  get views(): unknown[] {
    return this.streams.flatMap(({ method, body }) => (method === 'View' ? [body] : []));
  }

  /** The connection is lost, and is up again. */
  breakOnce(): void {
    this.state.value = 'lost';
    for (const { answer } of this.calls) answer(lost());
    this.state.value = 'up';
    for (const listener of this.#ups) listener();
  }

  /** Tells who drives. */
  viewed(state: object): void {
    const view = this.streams.findLast(({ method }) => method === 'View');
    void view?.listener.message({ body: { viewId: 'v', ...state }, bytes: null });
  }

  /** The texts that were sent, in their order. */
  get texts(): unknown[] {
    return this.calls.filter(({ method }) => method === 'SendText').map(({ body }) => body['text']);
  }
}

function begin(size = { cols: 80, rows: 24 }) {
  const calls = new TestCalls();
  const notices: string[] = [];
  const received: string[] = [];
  const clock = new VirtualClock();
  const live = new LiveSession({
    timers: clock,
    link: calls,
    sessionId: 'id',
    size: () => size,
    isLooking: false,
    listener: {
      changed: async () => {},
      bell: () => {},
      clipboard: () => {},
      marked: () => {},
      ended: (how) => notices.push(how),
      notice: (text) => notices.push(text),
      received: (from, note) => received.push(`${from}: ${note}`),
    },
  });
  return { calls, live, notices, received, clock };
}

/** A person has taken over. */
function beginTyping() {
  const begun = begin();
  begun.live.take();
  begun.calls.viewed({ drives: true });
  for (const { answer } of begun.calls.calls.splice(0)) answer();
  return begun;
}

const settled = () => new Promise<void>((resolve) => setImmediate(resolve));
const person = { state: { driver: { kind: 'DRIVER_KIND_PERSON', name: 'ann', holds: true } } };

describe('a live session whose program ends', () => {
  it.each([
    [{ code: 3 }, 'exited with status 3'],
    [{ signal: 'SIGKILL' }, 'was killed by SIGKILL'],
  ])('says how, as the command does: %j', async (exitStatus, how) => {
    const { calls, notices } = begin();
    const events = calls.streams.find(({ method }) => method === 'Subscribe');
    const sessionExited = { exitCode: 137, exitStatus };
    await events?.listener.message({ body: { sessionExited }, bytes: null });
    expect(notices).toEqual([how]);
  });
});

describe('before a live session knows its viewing', () => {
  it('the size of the window and a press of Take over are kept until it does', () => {
    const { calls, live } = begin();
    live.resized();
    live.resized();
    live.take();
    expect(calls.calls).toEqual([]);
    calls.viewed({});
    expect(calls.calls.map(({ method, body }) => [method, body])).toEqual([
      ['UpdateView', { viewId: 'v', size: { cols: 80, rows: 24 } }],
      ['UpdateView', { viewId: 'v', take: { force: false } }],
    ]);
    calls.viewed({ drives: true });
    expect(calls.calls).toHaveLength(2);
  });
});

describe('whether the person looks', () => {
  it('is told with the viewing, and when it changes', () => {
    const { calls, live } = begin();
    const view = calls.streams.find(({ method }) => method === 'View');
    expect(view?.body).toMatchObject({ looking: false });
    live.look(true);
    live.look(true);
    expect(calls.calls).toEqual([]);
    calls.viewed({});
    live.look(false);
    expect(calls.calls.map(({ method, body }) => [method, body])).toEqual([
      ['UpdateView', { viewId: 'v', looking: true }],
      ['UpdateView', { viewId: 'v', looking: false }],
    ]);
  });
});

describe('[S3.32] what is typed into a live session', () => {
  it('before the viewing is known is sent in its order', () => {
    const { calls, live } = begin();
    live.text('a');
    live.text('b');
    expect(calls.calls).toEqual([]);
    calls.viewed({ drives: true });
    live.text('c');
    expect(calls.texts).toEqual(['a', 'b', 'c']);
    expect(calls.views).toMatchObject([{ as: 'VIEW_AS_WATCH' }, { as: 'VIEW_AS_AUTO' }]);
  });

  it('while it is only watched comes from another viewing, which is at the terminal', async () => {
    const { calls, live } = begin();
    const [, watching] = calls.streams;
    calls.viewed({ drives: false });
    expect(live.isTyping.value).toBe(false);
    live.text('a');
    live.text('b');
    await settled();
    expect(live.isTyping.value).toBe(true);
    expect(calls.calls.map(({ method }) => method)).toEqual(['CloseView']);
    await calls.answer('CloseView');
    // What the first viewing tells late is not of this one.
    watching?.listener.message({ body: { viewId: 'v', drives: true }, bytes: null });
    expect(calls.texts).toEqual([]);
    calls.viewed({ viewId: 'w', drives: true });
    const sends = calls.calls.filter(({ method }) => method === 'SendText');
    expect(sends.map(({ body }) => [body['text'], body['viewer']])).toEqual([
      ['a', 'w'],
      ['b', 'w'],
    ]);
  });

  it('while another person holds the session is never sent, and the notice says who', () => {
    const { calls, live, notices } = begin();
    live.text('rm');
    calls.viewed(person);
    expect(notices).toEqual(['Not sent: ann holds the session. Ask for it.']);
    calls.viewed({ drives: true });
    live.text('ls');
    expect(calls.texts).toEqual(['ls']);
  });

  it('is not sent to a session that takes no input', () => {
    const { calls, live, notices } = begin();
    live.text('x');
    calls.viewed({});
    expect(notices).toEqual(['Not sent: the session takes no input']);
    calls.viewed({ drives: true });
    expect(calls.texts).toEqual([]);
  });

  it('and has no answer when the connection is lost is sent again with the same id', async () => {
    const { calls, live } = beginTyping();
    live.text('a');
    live.text('b');
    calls.calls.find(({ body }) => body['text'] === 'a')?.answer();
    await settled();
    calls.breakOnce();
    await settled();
    live.text('c');
    expect(calls.texts).toEqual(['a', 'b']);
    calls.viewed({ drives: true });
    expect(calls.texts).toEqual(['a', 'b', 'b', 'c']);
    const ids = calls.calls.flatMap(({ body }) => (body['text'] === 'b' ? [body['inputId']] : []));
    expect(new Set(ids).size).toBe(1);
  });

  it('is told to be slow while an answer takes 300 ms or more', async () => {
    const { calls, live, clock } = beginTyping();
    const { isSlow } = live.typed;
    live.text('a');
    clock.advance(299);
    expect(isSlow.value).toBe(false);
    clock.advance(1);
    expect(isSlow.value).toBe(true);
    await calls.answer('SendText');
    // The last answer was slow.
    expect(isSlow.value).toBe(true);
    live.text('b');
    await calls.answer('SendText');
    expect(isSlow.value).toBe(false);
  });

  it.each([5_001, -3_600_000])(
    'is not sent again, nor what was typed after it, if it is too old or the clock was set: %d ms',
    async (ms) => {
      const { calls, live, notices } = beginTyping();
      const nowMs = Date.now();
      const clock = vi.spyOn(Date, 'now').mockReturnValue(nowMs);
      onTestFinished(() => clock.mockRestore());
      live.text('rm -r dir');
      clock.mockReturnValue(nowMs + ms);
      calls.breakOnce();
      await settled();
      live.text('\r');
      calls.viewed({ drives: true });
      expect(calls.texts).toEqual(['rm -r dir']);
      expect(notices).toEqual(['Perhaps not sent: the connection was lost for too long']);
      live.text('ls');
      expect(calls.texts).toEqual(['rm -r dir', 'ls']);
    },
  );

  it('is not sent without its beginning if that is too old', () => {
    const { calls, live, notices } = begin();
    const nowMs = Date.now();
    const clock = vi.spyOn(Date, 'now').mockReturnValue(nowMs);
    onTestFinished(() => clock.mockRestore());
    live.text('a');
    clock.mockReturnValue(nowMs + 5_001);
    live.text('b');
    calls.viewed({ drives: true });
    expect(calls.texts).toEqual([]);
    expect(notices).toEqual(['Not sent: it was typed too long ago']);
  });

  it('is sent up to a number of inputs, and dropped if vtr does not respond', async () => {
    const { calls, live, notices } = beginTyping();
    for (let at = 0; at < 40; at++) live.text(`${at}`);
    expect(calls.texts).toHaveLength(32);
    calls.calls.find(({ body }) => body['text'] === '0')?.answer();
    await settled();
    expect(calls.texts).toHaveLength(33);
    for (const { answer } of calls.calls) answer(silent());
    await settled();
    expect(notices).toEqual(['Not sent: vtr does not respond']);
    calls.breakOnce();
    calls.viewed({ drives: true });
    expect(calls.texts).toHaveLength(33);
  });

  it('goes together where it waits: keys are never slower than the connection', async () => {
    const { calls, live } = beginTyping();
    for (const key of 'abcdefghijklmnopqrstuvwxyz0123456789') live.key({ key });
    live.text('later');
    live.key({ key: 'enter' });
    const keys = () =>
      calls.calls
        .filter(({ method }) => method === 'SendKey')
        .map(({ body }) =>
          (body['keys'] as { press: { key: string } }[]).map(({ press }) => press.key),
        );
    expect(keys()).toHaveLength(32);
    calls.calls[0]?.answer();
    await settled();
    expect(keys().at(-1)).toEqual(['6', '7', '8', '9']);
    expect(calls.texts).toEqual([]);
    await calls.answer('SendKey');
    expect([calls.texts, keys().at(-1)]).toEqual([['later'], ['enter']]);
  });

  it('is no longer under way when it is told as lost: keys after it are counted from there', async () => {
    const calls = new TestCalls();
    const counts: number[] = [];
    const typed: TypedInput = new TypedInput({
      link: calls,
      sessionId: 's',
      notice() {},
      view: () => ({ id: 'v', drives: true, driver: null }),
      listener: { typed() {}, written() {}, lost: () => counts.push(typed.underWay.length) },
    });
    typed.send({ method: 'SendKey', body: { keys: [{ key: 'a' }] } });
    typed.flush();
    expect(typed.underWay).toHaveLength(1);
    calls.calls[0]?.answer(new LinkError('NOT_DRIVER', 'ann holds it'));
    await settled();
    expect(counts).toEqual([0]);
  });

  it('if it is a long paste goes in parts, one after the other, and can be cancelled', async () => {
    const { calls, live, notices } = beginTyping();
    live.paste('x'.repeat(65_535) + '😀'.repeat(65_536));
    const lengths = () => calls.texts.map((text) => String(text).length);
    expect(lengths()).toEqual([65_535]);
    expect(live.typed.pasting.value).toEqual({ done: 0, total: 196_607 });
    live.key({ key: 'a' });
    expect(notices.splice(0)).toEqual(['Not sent: a paste is under way']);
    await calls.answer('SendText');
    expect(lengths()).toEqual([65_535, 65_536]);
    expect(live.typed.pasting.value).toEqual({ done: 65_535, total: 196_607 });
    live.typed.cancelPaste();
    await calls.answer('SendText');
    expect(lengths()).toHaveLength(2);
    expect(live.typed.pasting.value).toBe(null);
    expect(notices).toEqual(['Pasted 131,071 of 196,607 characters']);
  });

  it('if it is a long paste that is not accepted tells how much was', async () => {
    const { calls, live, notices } = beginTyping();
    live.paste('x'.repeat(100_000));
    calls.calls.at(-1)?.answer(new LinkError('NOT_DRIVER', 'ann has held it for 1s'));
    await settled();
    expect(calls.texts).toHaveLength(1);
    expect(notices).toEqual(['Not sent: ann has held it for 1s', 'Pasted 0 of 100,000 characters']);
  });

  it('while the connection is lost is not sent', () => {
    const { calls, live, notices } = beginTyping();
    calls.state.value = 'lost';
    live.text('x');
    expect(notices).toEqual(['Not sent: the connection is lost']);
    expect(calls.texts).toEqual([]);
  });
});

describe('[S3.32] a session that is handed over', () => {
  const heldState = (epoch: number, more: object = {}) => ({
    drives: true,
    holds: true,
    person: 'bo',
    viewers: [{ name: 'ann' }, { name: 'bo', watches: true }, { name: 'cy', readOnly: true }],
    state: { epoch, note: 'your turn', driver: { name: 'bo', holds: true, handedBy: 'ann' } },
    ...more,
  });

  it('is typed in at once, in the same viewing, and is told once', async () => {
    const { calls, live, received } = begin();
    calls.viewed({ person: 'bo' });
    calls.viewed(heldState(3));
    expect(received).toEqual(['ann: your turn']);
    expect(live.isTyping.value).toBe(true);
    expect(live.driving.value.others.map(({ name }) => name)).toEqual(['ann', 'cy']);
    live.text('x');
    expect(calls.views).toHaveLength(1);
    expect(calls.calls.map(({ method, body }) => [method, body['viewer']])).toEqual([
      ['SendText', 'v'],
    ]);
    calls.breakOnce();
    calls.viewed(heldState(3));
    expect(received).toHaveLength(1);
    expect(calls.views.at(-1)).toMatchObject({ as: 'VIEW_AS_AUTO', viewId: 'v' });
    calls.viewed(heldState(4));
    expect(received).toHaveLength(2);
  });

  it('is given back with the size that it had', async () => {
    const { calls, live } = begin({ cols: 100, rows: 30 });
    const { listener } = calls.streams.find(({ method }) => method === 'Subscribe') as Stream;
    await listener.message({ body: { state: { cols: 80, rows: 24 } }, bytes: new Uint8Array() });
    calls.viewed(heldState(3));
    await listener.message({ body: { resize: { cols: 100, rows: 30 } }, bytes: null });
    live.give('');
    expect(calls.calls.map(({ method, body }) => [method, body])).toEqual([
      ['Resize', { sessionId: 'id', cols: 80, rows: 24, viewer: 'v' }],
      ['UpdateView', { viewId: 'v', give: {} }],
    ]);
  });

  it('is watched from then on by who handed it over, unless that failed', async () => {
    const { calls, live, notices } = begin();
    live.text('x');
    calls.viewed({ drives: true });
    for (const { answer } of calls.calls.splice(0)) answer();
    const failing = live.hand('bob', '');
    const [call] = calls.calls.splice(0);
    expect(call?.body).toEqual({ viewId: 'v', give: { to: 'bob' } });
    call?.answer(new LinkError('INVALID_ARGUMENT', 'nobody is called "bob"'));
    await failing;
    expect(notices).toEqual([expect.stringContaining('nobody is called "bob"')]);
    expect(live.isTyping.value).toBe(true);
    const handing = live.hand('ann', 'go on');
    expect(calls.calls[0]?.body).toEqual({ viewId: 'v', give: { to: 'ann', note: 'go on' } });
    await calls.answer('UpdateView');
    await handing;
    expect(live.isTyping.value).toBe(false);
    await calls.answer('CloseView');
    expect(calls.views.at(-1)).toMatchObject({ as: 'VIEW_AS_WATCH' });
  });

  it('is told to who held it when another person takes it, and when that one gives it back', () => {
    const { calls, live, notices, received } = begin();
    live.take();
    calls.viewed(heldState(2, { state: { epoch: 2, driver: { name: 'bo', holds: true } } }));
    const state = { epoch: 3, driver: { name: 'ann', holds: true } };
    calls.viewed(heldState(3, { drives: false, holds: false, state }));
    expect(notices).toEqual(['ann took it over from you']);
    calls.viewed(heldState(4));
    expect(received).toEqual(['ann: your turn']);
    expect(live.isTyping.value).toBe(true);
  });
});

describe('[S3.32] a person who does nothing', () => {
  /** Somebody who types in a window of 100x30 into a session that had 80x24. */
  async function typist() {
    const begun = begin({ cols: 100, rows: 30 });
    const { calls, live } = begun;
    const { listener } = calls.streams.find(({ method }) => method === 'Subscribe') as Stream;
    await listener.message({ body: { state: { cols: 80, rows: 24 } }, bytes: new Uint8Array() });
    live.text('x');
    calls.viewed({ drives: true });
    await listener.message({ body: { resize: { cols: 100, rows: 30 } }, bytes: null });
    for (const { answer } of calls.calls.splice(0)) answer();
    return { ...begun, listener };
  }

  it('gives back after five minutes, and the session gets the size that it had', async () => {
    const { calls, live, clock } = await typist();
    clock.advance(200_000);
    live.active();
    clock.advance(299_999);
    expect(calls.calls).toEqual([]);
    clock.advance(1);
    expect(calls.calls.map(({ method, body }) => [method, body])).toEqual([
      ['Resize', { sessionId: 'id', cols: 80, rows: 24, viewer: 'v' }],
      ['UpdateView', { viewId: 'v', give: {} }],
    ]);
    expect(live.isTyping.value).toBe(false);
    for (const method of ['Resize', 'UpdateView', 'CloseView']) await calls.answer(method);
    expect(calls.views.at(-1)).toMatchObject({ as: 'VIEW_AS_WATCH' });
    calls.viewed({ viewId: 'w' });
    clock.advance(600_000);
    expect(calls.calls.at(-1)?.method).toBe('CloseView');
  });

  it('gives back after a minute in which the page is not in view', async () => {
    const { calls, live, clock } = await typist();
    live.inView(false);
    clock.advance(59_999);
    live.inView(true);
    clock.advance(60_000);
    expect(calls.calls).toEqual([]);
    live.inView(false);
    clock.advance(60_000);
    expect(calls.calls.map(({ method }) => method)).toEqual(['Resize', 'UpdateView']);
  });

  it('changes no size that somebody else has set', async () => {
    const { calls, live, listener } = await typist();
    await listener.message({ body: { resize: { cols: 120, rows: 40 } }, bytes: null });
    live.give('done');
    expect(calls.calls.map(({ method, body }) => [method, body])).toEqual([
      ['UpdateView', { viewId: 'v', give: { note: 'done' } }],
    ]);
  });
});

it('a resize that erased the prompt erases it on the page, too', async () => {
  const { calls, live } = begin();
  const { listener } = calls.streams.find(({ method }) => method === 'Subscribe') as Stream;
  const bytes = new TextEncoder().encode('output\r\nprompt $ typed');
  await listener.message({ body: { state: { cols: 8, rows: 5 } }, bytes });
  await listener.message({
    body: { resize: { cols: 4, rows: 5, erasedRow: 1, erasedCol: 0 } },
    bytes: null,
  });
  expect(live.terminal?.screenText()).toEqual(['outp', 'ut', '', '', '']);
  await listener.message({ body: { resize: { cols: 3, rows: 5 } }, bytes: null });
  expect(live.terminal?.screenText()).toEqual(['out', 'put', '', '', '']);
});

describe('[S3.32] the page asks before a paste', () => {
  const lines = (count: number) => 'x\n'.repeat(count);

  it.each([
    ['one line', 'ls -l', false, false],
    ['one line with its end', 'ls -l\r\n', false, false],
    ['two lines', 'ls -l\nrm x', false, true],
    ['two lines of an old Mac', 'ls -l\rrm x', false, true],
    ['two lines for a program that takes pastes whole', 'ls -l\nrm x', true, false],
    ['999 lines for such a program', lines(999), true, false],
    ['1,000 lines for such a program', lines(1_000), true, true],
    [
      'many blank lines before a last one, in linear time',
      `${lines(1).repeat(5)}${'\n'.repeat(1e6)}x`,
      true,
      true,
    ],
  ])('of %s', (_, text, isBracketed, asks) => {
    expect(asksBeforePaste(text, isBracketed)).toBe(asks);
  });
});

it('a window that changes its size while the connection is lost tells nothing, and a take does', async () => {
  const { calls, live, notices } = beginTyping();
  live.resized();
  calls.state.value = 'lost';
  for (const { answer } of calls.calls) answer(lost());
  await settled();
  expect(notices).toEqual([]);
  live.take();
  calls.calls.at(-1)?.answer(lost());
  await settled();
  expect(notices).toEqual(['the connection is lost']);
});
