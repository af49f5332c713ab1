import { signal } from '@preact/signals';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  type Calls,
  LinkError,
  type LinkState,
  lost,
  type StreamListener,
  silent,
} from '../link/link.ts';
import { LiveSession } from './live-session.ts';

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
  readonly made: Made[] = [];
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
      this.made.push({ method, body: body as Record<string, unknown>, answer });
    });
  }

  open(method: string, body: unknown, listener: StreamListener<never>) {
    this.streams.push({ method, body, listener });
    return { close: () => {} };
  }

  /** The connection is lost, and is up again. */
  breakOnce(): void {
    this.state.value = 'lost';
    for (const { answer } of this.made) answer(lost());
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
    return this.made.filter(({ method }) => method === 'SendText').map(({ body }) => body['text']);
  }
}

function begin() {
  const calls = new TestCalls();
  const notices: string[] = [];
  const live = new LiveSession({
    link: calls,
    sessionId: 'id',
    size: () => ({ cols: 80, rows: 24 }),
    isLooking: false,
    listener: {
      changed: async () => {},
      bell: () => {},
      clipboard: () => {},
      marked: () => {},
      ended: (how) => notices.push(how),
      notice: (text) => notices.push(text),
    },
  });
  return { calls, live, notices };
}

const settled = () => new Promise<void>((resolve) => setImmediate(resolve));
const person = { state: { driver: { kind: 'DRIVER_KIND_PERSON', name: 'ann' } } };

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
    expect(calls.made).toEqual([]);
    calls.viewed({});
    expect(calls.made.map(({ method, body }) => [method, body])).toEqual([
      ['UpdateView', { viewId: 'v', size: { cols: 80, rows: 24 } }],
      ['UpdateView', { viewId: 'v', take: { force: false } }],
    ]);
    calls.viewed({ drives: true });
    expect(calls.made).toHaveLength(2);
  });
});

describe('whether the person looks', () => {
  it('is told with the viewing, and when it changes', () => {
    const { calls, live } = begin();
    const view = calls.streams.find(({ method }) => method === 'View');
    expect(view?.body).toMatchObject({ looking: false });
    live.look(true);
    live.look(true);
    expect(calls.made).toEqual([]);
    calls.viewed({});
    live.look(false);
    expect(calls.made.map(({ method, body }) => [method, body])).toEqual([
      ['UpdateView', { viewId: 'v', looking: true }],
      ['UpdateView', { viewId: 'v', looking: false }],
    ]);
  });
});

describe('[S3.32] what is typed into a live session', () => {
  it('before it is known who drives is sent in its order, once the page drives', () => {
    const { calls, live } = begin();
    live.text('a');
    live.text('b');
    expect(calls.made).toEqual([]);
    calls.viewed({});
    live.text('c');
    expect(calls.made.map(({ method }) => method)).toEqual(['UpdateView']);
    calls.viewed({ drives: true });
    live.text('d');
    expect(calls.texts).toEqual(['a', 'b', 'c', 'd']);
  });

  it('while another person drives is never sent', () => {
    const { calls, live, notices } = begin();
    calls.viewed(person);
    live.text('rm');
    expect(notices).toEqual(['Not sent: ann drives. Take over to type.']);
    calls.viewed({ drives: true });
    live.text('ls');
    expect(calls.texts).toEqual(['ls']);
  });

  it('is not sent later if the page may not drive', async () => {
    const { calls, live, notices } = begin();
    calls.viewed({});
    live.text('x');
    calls.made[0]?.answer(new LinkError('NOT_ALLOWED', 'this link is read-only'));
    await settled();
    expect(notices).toEqual(['Not sent: this link is read-only']);
    calls.viewed({ drives: true });
    expect(calls.texts).toEqual([]);
  });

  it('and has no answer when the connection is lost is sent again with the same id', async () => {
    const { calls, live } = begin();
    calls.viewed({ drives: true });
    live.text('a');
    live.text('b');
    calls.made.find(({ body }) => body['text'] === 'a')?.answer();
    await settled();
    calls.breakOnce();
    await settled();
    live.text('c');
    expect(calls.texts).toEqual(['a', 'b']);
    calls.viewed({ drives: true });
    expect(calls.texts).toEqual(['a', 'b', 'b', 'c']);
    const ids = calls.made.flatMap(({ body }) => (body['text'] === 'b' ? [body['inputId']] : []));
    expect(new Set(ids).size).toBe(1);
  });

  it.each([5_001, -3_600_000])(
    'is not sent again, nor what was typed after it, if it is too old or the clock was set: %d ms',
    async (ms) => {
      const { calls, live, notices } = begin();
      const nowMs = Date.now();
      const clock = vi.spyOn(Date, 'now').mockReturnValue(nowMs);
      onTestFinished(() => clock.mockRestore());
      calls.viewed({ drives: true });
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
    const { calls, live, notices } = begin();
    calls.viewed({ drives: true });
    for (let at = 0; at < 40; at++) live.text(`${at}`);
    expect(calls.texts).toHaveLength(32);
    calls.made.find(({ body }) => body['text'] === '0')?.answer();
    await settled();
    expect(calls.texts).toHaveLength(33);
    for (const { answer } of calls.made) answer(silent());
    await settled();
    expect(notices).toEqual(['Not sent: vtr does not respond']);
    calls.breakOnce();
    calls.viewed({ drives: true });
    expect(calls.texts).toHaveLength(33);
  });

  it('while the connection is lost is not sent', () => {
    const { calls, live, notices } = begin();
    calls.viewed({ drives: true });
    calls.state.value = 'lost';
    live.text('x');
    expect(notices).toEqual(['Not sent: the connection is lost']);
    expect(calls.texts).toEqual([]);
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
