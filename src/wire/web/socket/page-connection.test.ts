import { describe, expect, it } from 'vitest';
import { frameKinds } from '#messages/page';
import {
  type JsonCalls,
  type JsonMessage,
  type StreamedJson,
  type Viewing,
  VtrError,
} from '#model';
import { VirtualClock } from '../../../../test/support/virtual-clock.ts';
import { credit, RecordingPage } from '../../../../test/support/web/page-socket.ts';
import { noSessions } from '../../../../test/support/web/silent-calls.ts';
import type { Share } from '../access/web-access.ts';
import { Scope } from '../scope.ts';
import { PageConnection } from './page-connection.ts';

const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

/** A stream that a test feeds. */
class FedStream implements AsyncIterableIterator<StreamedJson> {
  readonly request: JsonMessage;
  isEnded = false;
  /** How often it was asked. */
  requests = 0;
  #wake: ((message: StreamedJson | null) => void) | null = null;
  #waiting: (StreamedJson | null)[] = [];

  constructor(request: JsonMessage) {
    this.request = request;
  }

  [Symbol.asyncIterator]() {
    return this;
  }

  give(json: JsonMessage | null, bytes: Uint8Array | null = null): void {
    const message = json && { json, bytes };
    if (this.#wake === null) this.#waiting.push(message);
    else this.#wake(message);
    this.#wake = null;
  }

  async next(): Promise<IteratorResult<StreamedJson>> {
    this.requests++;
    const [message] = this.#waiting.splice(0, 1);
    const value =
      message !== undefined
        ? message
        : await new Promise<StreamedJson | null>((resolve) => {
            this.#wake = resolve;
          });
    return value === null ? { done: true, value: undefined } : { done: false, value };
  }

  async return(): Promise<IteratorResult<StreamedJson>> {
    this.isEnded = true;
    this.#wake?.(null);
    return { done: true, value: undefined };
  }
}

function connected(share: Share | null = null, others: ReadonlyMap<string, JsonCalls> = new Map()) {
  const page = new RecordingPage();
  const clock = new VirtualClock();
  const calls: [string, JsonMessage][] = [];
  const streams: [string, FedStream][] = [];
  /** The names of those whom the server shows as viewers by itself. */
  const viewed: string[] = [];
  let isClosed = false;
  const connection = new PageConnection(page, {
    calls: {
      async unary(method, request) {
        calls.push([method, request]);
        if (request['text'] === 'fail') throw new VtrError('NO_INPUT', 'empty');
        return { method };
      },
      stream(method, request) {
        const stream = new FedStream(request);
        streams.push([method, stream]);
        return stream;
      },
      close: () => {
        isClosed = true;
      },
    },
    sessions: {
      ...noSessions,
      async view(_session, { name = '' }) {
        viewed.push(name);
        const dispose = async () => void viewed.splice(viewed.indexOf(name), 1);
        return { dispose } as Partial<Viewing> as Viewing;
      },
    },
    scope: new Scope(share),
    others,
    clock,
  });
  page.onAnswer = (message) => connection.receive(message);
  const send = (message: object) => connection.receive(JSON.stringify(message));
  const open = (channel: number, method: string, body: object = {}): FedStream => {
    send({ open: channel, method, body });
    return streams.at(-1)?.[1] as FedStream;
  };
  return { page, clock, calls, streams, viewed, connection, send, open, closed: () => isClosed };
}

describe('[S3.32] calls of a page', () => {
  it('are made in their order, and answered by their ids', async () => {
    const { page, calls, send } = connected();
    send({ id: 7, method: 'SendText', body: { name: 'a', text: 'x' } });
    send({ id: 8, method: 'SendText', body: { name: 'a', text: 'fail' } });
    send({ id: 9, method: 'StopDaemon' });
    expect(calls.map(([, { text }]) => text)).toEqual(['x', 'fail']);
    await settled();
    expect(page.texts).toEqual(
      expect.arrayContaining([
        { id: 7, result: { method: 'SendText' } },
        { id: 8, error: { code: 'NO_INPUT', message: 'empty', details: {} } },
        { id: 9, error: expect.objectContaining({ code: 'NOT_ALLOWED' }) },
      ]),
    );
  });

  it.each([
    ['x'],
    ['[]'],
    ['{}'],
    ['{"id": 1}'],
    ['{"id": "1", "method": "List"}'],
    ['{"open": 0, "method": "View"}'],
    ['{"open": 65536, "method": "View"}'],
    ['{"id": 1, "method": "List", "body": []}'],
    ['{"id": 1, "method": "List", "body": {"a": 1, "a": 2}}'],
  ])('that are not of the protocol end the connection: %s', (text) => {
    const { page, connection } = connected();
    connection.receive(text);
    expect(page.closedWith).toEqual([1002, expect.any(String)]);
  });

  it.each([[[]], [[4]], [[4, 1]], [[9, 1, 1]], [[4, 128, 128, 128, 128, 128, 128, 128, 128, 1]]])(
    'that are binary and not of the protocol end it, too: %j',
    (bytes) => {
      const { page, connection } = connected();
      connection.receive(Uint8Array.from(bytes));
      expect(page.closedWith).toEqual([1002, expect.any(String)]);
    },
  );

  it('are not read while too much waits to be sent', () => {
    const { page, send } = connected();
    page.unsentBytes = 5_000_000;
    send({ id: 1, method: 'List' });
    expect(page.isPaused).toBe(true);
    page.drain();
    expect(page.isPaused).toBe(false);
  });
});

describe('[S3.32] streams of a page', () => {
  it('are sent whole, with their bytes apart, and end', async () => {
    const { page, open } = connected();
    const stream = open(3, 'Subscribe', { name: 'a', includeEvents: true });
    const bytes = Uint8Array.from({ length: 100_000 }, (_, at) => at);
    stream.give({ state: { cols: 80 } }, bytes);
    stream.give({ title: { title: 'höhe' } });
    stream.give(null);
    await settled();
    expect(page.of(3)).toEqual([
      { channel: 3, kind: 2, json: { state: { cols: 80 } }, bytes: Buffer.from(bytes) },
      { channel: 3, kind: 1, json: { title: { title: 'höhe' } }, bytes: null },
      { channel: 3, kind: 3, json: null, bytes: null },
    ]);
    // The number is free again.
    open(3, 'Subscribe').give(null);
    await settled();
    expect(page.of(3)).toHaveLength(4);
  });

  it('that fail tell the page why', async () => {
    const { page, send } = connected();
    send({ open: 5, method: 'OpenLease' });
    await settled();
    expect(page.of(5)).toEqual([
      expect.objectContaining({
        kind: frameKinds.end,
        json: expect.objectContaining({ code: 'NOT_ALLOWED' }),
      }),
    ]);
  });

  it('are asked for no more than the page has room for', async () => {
    const { page, open, connection } = connected();
    const stream = open(3, 'View', { name: 'a' });
    const text = 'x'.repeat(100_000);
    for (let times = 0; times < 5; times++) stream.give({ text });
    await settled();
    // 256 KiB are full after the third.
    expect([page.of(3).length, stream.requests]).toEqual([3, 3]);
    connection.receive(credit(3, 120_000));
    await settled();
    expect(page.of(3)).toHaveLength(4);
  });

  it('end when the page withdraws all', () => {
    const { page, open, send, closed } = connected();
    const stream = open(1, 'View');
    send({ withdraw: true });
    expect([stream.isEnded, closed(), page.closedWith?.[0]]).toEqual([true, true, 1000]);
  });

  it('end when the page closes them, or is gone', async () => {
    const { page, open, send, connection, closed } = connected();
    const [first, second] = [open(1, 'View'), open(2, 'Subscribe')];
    send({ close: 1 });
    first.give({ late: true });
    await settled();
    expect([first.isEnded, second.isEnded, page.of(1)]).toEqual([true, false, []]);
    connection.end();
    expect([second.isEnded, closed()]).toEqual([true, true]);
  });

  it('of output that waited for over a second go on with the state', async () => {
    const { page, open, streams, clock } = connected();
    const body = { name: 'a', includeEvents: true, since: 'r1-2' };
    const stream = open(3, 'Subscribe', body);
    const at = (ms: number) => new Date(clock.wallMs() + ms).toISOString();
    // What was asked for is not late, however old it is.
    stream.give({ output: {}, at: at(-60_000) });
    await settled();
    clock.advance(5000);
    stream.give({ output: {}, at: at(-900) });
    await settled();
    stream.give({ output: {}, at: at(-1100) });
    await settled();
    const [, [, next] = []] = streams;
    expect(stream.isEnded).toBe(true);
    const maxWaitingBytes = 256 * 1024;
    expect(stream.request).toEqual({ ...body, maxWaitingBytes });
    expect(next?.request).toEqual({ name: 'a', includeEvents: true, maxWaitingBytes });
    next?.give({ state: {} });
    await settled();
    expect(page.of(3).map(({ json }) => Object.keys(json as object)[0])).toEqual([
      ...['output', 'output', 'state'],
    ]);
  });

  it('send no frames to a hidden tab, and those that it wants when it is shown', async () => {
    const { open, send, calls, page } = connected();
    const message = { sessions: [{ name: 'a' }] };
    open(3, 'WatchSessions', { frames: message }).give({ watchId: 'w', sessions: {} });
    await settled();
    send({ hidden: true });
    send({ id: 1, method: 'SetWatchFrames', body: { watchId: 'w', frames: { perSecond: 2 } } });
    send({ hidden: true });
    send({ hidden: false });
    await settled();
    expect(calls).toEqual([
      ['SetWatchFrames', { watchId: 'w' }],
      ['SetWatchFrames', { watchId: 'w', frames: { perSecond: 2 } }],
    ]);
    expect(page.texts).toEqual([{ id: 1, result: {} }]);
  });
});

it('forgets viewings and watches some time after their streams have ended', async () => {
  const { page, calls, send, open } = connected();
  const ids = Array.from({ length: 70 }, (_, at) => `w${at}`);
  for (const [at, watchId] of ids.entries()) {
    open(at + 1, 'WatchSessions').give({ watchId });
    await settled();
    send({ close: at + 1 });
    await settled();
  }
  calls.length = 0;
  send({ hidden: true });
  await settled();
  expect(calls).toEqual([]);
  send({ hidden: false });
  // A page may still name the last ones: it closes a stream first, and then its viewing.
  for (const [id, watchId] of ['w0', 'w69'].entries()) {
    send({ id, method: 'SetWatchFrames', body: { watchId } });
  }
  await settled();
  expect(page.texts).toEqual([
    { id: 0, error: expect.objectContaining({ code: 'NOT_ALLOWED' }) },
    { id: 1, result: { method: 'SetWatchFrames' } },
  ]);
});

it('[S3.32] a tab that is hidden again and again makes one call at a time for each watch', async () => {
  const { open, send, calls } = connected();
  open(3, 'WatchSessions', { frames: { perSecond: 2 } }).give({ watchId: 'w', sessions: {} });
  await settled();
  for (let times = 0; times < 100; times++) {
    send({ hidden: true });
    send({ hidden: false });
  }
  await settled();
  expect(calls.length).toBeLessThanOrEqual(2);
  expect(calls.at(-1)?.[1]).toEqual({ watchId: 'w', frames: { perSecond: 2 } });
});

describe('[S3.32] calls for another coordinator', () => {
  /** A coordinator that notes what it is called. */
  function coordinator() {
    const requests: [string, JsonMessage][] = [];
    let stream: FedStream | null = null;
    let isClosed = false;
    const calls: JsonCalls = {
      connect: () => ({
        async unary(method, request) {
          requests.push([method, request]);
          return { from: 'work' };
        },
        stream(_method, request) {
          stream = new FedStream(request);
          return stream;
        },
        close: () => {
          isClosed = true;
        },
      }),
    };
    return {
      calls,
      made: requests,
      give: (json: JsonMessage) => stream?.give(json),
      closed: () => isClosed,
    };
  }

  it('are made there, with viewings of their own, until the page is gone', async () => {
    const work = coordinator();
    const { page, calls, send, open, connection } = connected(
      null,
      new Map([['work', work.calls]]),
    );
    send({ id: 1, at: 'work', method: 'Info', body: { name: 'a' } });
    open(1, 'View').give({ viewId: 'near' });
    send({ open: 2, at: 'work', method: 'View', body: { name: 'a' } });
    work.give({ viewId: 'far' });
    await settled();
    send({ id: 2, at: 'work', method: 'SendText', body: { viewer: 'near' } });
    send({ id: 3, method: 'SendText', body: { viewer: 'far' } });
    send({ id: 4, at: 'work', method: 'SendText', body: { viewer: 'far' } });
    send({ id: 5, at: 'home', method: 'Info' });
    await settled();
    expect(page.texts).toEqual(
      expect.arrayContaining([
        { id: 1, result: { from: 'work' } },
        { id: 2, error: expect.objectContaining({ code: 'NOT_ALLOWED' }) },
        { id: 3, error: expect.objectContaining({ code: 'NOT_ALLOWED' }) },
        { id: 4, result: { from: 'work' } },
        { id: 5, error: expect.objectContaining({ code: 'INVALID_ARGUMENT' }) },
      ]),
    );
    expect(work.made).toEqual([
      ['Info', { name: 'a' }],
      ['SendText', { viewer: 'far' }],
    ]);
    expect(calls).toEqual([]);
    connection.end();
    expect(work.closed()).toBe(true);
  });

  it('send no frames while the tab is hidden', async () => {
    const work = coordinator();
    const { send } = connected(null, new Map([['work', work.calls]]));
    send({ hidden: true });
    send({ open: 1, at: 'work', method: 'WatchSessions', body: { frames: { perSecond: 2 } } });
    work.give({ watchId: 'w' });
    await settled();
    expect(work.made).toEqual([['SetWatchFrames', { watchId: 'w' }]]);
  });
});

describe('[S3.32] a visitor', () => {
  it('is seen by the driver from the beginning, once', async () => {
    const share: Share = {
      id: 'x',
      hash: '',
      sessionId: 'id-1',
      session: 'a',
      write: false,
      alis: false,
      withHistory: false,
      redact: true,
      begin: { line: 0, command: 0 },
      sinceMs: 0,
      untilMs: 1,
    };
    const { streams, viewed, open, send } = connected(share);
    const views = () => [
      ...viewed,
      ...streams.flatMap(([method, { request, isEnded }]) =>
        method === 'View' && !isEnded ? [request['person']] : [],
      ),
    ];
    expect(views()).toEqual(['visitor']);
    open(1, 'View', { person: 'ann' });
    await settled();
    expect(views()).toEqual(['visitor ann']);
    send({ close: 1 });
    expect(views()).toEqual(['visitor']);
  });
});
