import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Link } from './link.ts';

/** The other side of a WebSocket. */
class TestSocket {
  static readonly OPEN = 1;
  static readonly all: TestSocket[] = [];
  readyState = 0;
  readonly messages: Record<string, unknown>[] = [];
  onopen = () => {};
  onmessage: ((event: { data: unknown }) => void) | null = null;
  onclose: ((event: { code: number }) => void) | null = null;

  constructor() {
    TestSocket.all.push(this);
  }

  static get last(): TestSocket {
    return TestSocket.all.at(-1) as TestSocket;
  }

  open(): void {
    this.readyState = 1;
    this.onopen();
  }

  send(text: string): void {
    this.messages.push(JSON.parse(text));
  }

  /** Answers the last call. */
  answer(): void {
    this.onmessage?.({ data: JSON.stringify({ id: this.messages.at(-1)?.['id'], result: {} }) });
  }

  close(code = 1006): void {
    this.readyState = 3;
    this.onclose?.({ code });
  }
}

let page = new EventTarget();

beforeEach(() => {
  vi.useFakeTimers();
  TestSocket.all.length = 0;
  page = new EventTarget();
  vi.stubGlobal('WebSocket', TestSocket);
  vi.stubGlobal('document', Object.assign(new EventTarget(), { hidden: false }));
  vi.stubGlobal('addEventListener', page.addEventListener.bind(page));
});

afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

function connected(checkLogin = async () => true): Link {
  const link = new Link('ws://127.0.0.1/ws', checkLogin);
  TestSocket.last.open();
  return link;
}

describe("[S3.32] the page's connection", () => {
  it('ends its calls and streams when it is lost, and is made again', async () => {
    const link = connected();
    const call = link.call('Info', {});
    const ended: unknown[] = [];
    const listener = { message: () => {}, ended: (reason: unknown) => ended.push(reason) };
    link.open('View', {}, listener);
    TestSocket.last.close();
    await expect(call).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    link.open('View', {}, listener);
    await vi.advanceTimersByTimeAsync(0);
    expect(ended).toMatchObject([{ code: 'UNAVAILABLE' }, { code: 'UNAVAILABLE' }]);
    expect(link.state.value).toBe('lost');
    await vi.advanceTimersByTimeAsync(1000);
    TestSocket.last.open();
    expect(link.state.value).toBe('up');
  });

  it('never uses the number of an open stream for another one', () => {
    const link = connected();
    const listener = { message: () => {}, ended: () => {} };
    link.open('View', {}, listener);
    for (let count = 0; count < 0xffff; count++) link.open('View', {}, listener).close();
    expect(TestSocket.last.messages.filter(({ open }) => open === 1)).toHaveLength(1);
  });

  it('is tried again within half a second, however long it was lost', async () => {
    connected();
    TestSocket.last.close();
    for (let times = 0; times < 20; times++) {
      const before = TestSocket.all.length;
      await vi.advanceTimersByTimeAsync(500);
      expect(TestSocket.all.length).toBeGreaterThan(before);
      TestSocket.last.close();
    }
  });

  it('is made again when another daemon answers; no WebSocket fails before that', async () => {
    let isThere = false;
    const askLogin = vi.fn(async () => {
      if (!isThere) throw new Error('nothing listens');
      return true;
    });
    const link = connected(askLogin);
    TestSocket.last.close(1012);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(askLogin.mock.calls.length).toBeGreaterThan(15);
    expect([link.state.value, TestSocket.all.length]).toEqual(['lost', 1]);
    isThere = true;
    await vi.advanceTimersByTimeAsync(50);
    expect(TestSocket.all).toHaveLength(2);
    TestSocket.last.open();
    await vi.advanceTimersByTimeAsync(60_000);
    expect([link.state.value, TestSocket.all.length]).toEqual(['up', 2]);
  });

  it('is made again on a slow line without waiting for an answer first', async () => {
    const link = connected(() => new Promise(() => {}));
    TestSocket.last.close();
    await vi.advanceTimersByTimeAsync(50);
    expect([link.state.value, TestSocket.all.length]).toEqual(['lost', 2]);
  });

  it('is not tried again without a pause by a server that answers only other requests', async () => {
    connected();
    for (let times = 0; times < 100; times++) {
      TestSocket.last.close();
      await vi.advanceTimersByTimeAsync(10);
    }
    expect(TestSocket.all.length).toBeLessThan((100 * 10) / 50 + 3);
  });

  it('is not tried again without a login, or when its share has ended', async () => {
    const link = connected(async () => false);
    TestSocket.last.close();
    await vi.advanceTimersByTimeAsync(60_000);
    expect([link.state.value, TestSocket.all.length]).toEqual(['refused', 1]);
    const shared = connected();
    TestSocket.last.close(4001);
    await vi.advanceTimersByTimeAsync(60_000);
    expect([shared.state.value, TestSocket.all.length]).toEqual(['ended', 2]);
  });

  it('that answers no call withdraws them after 5 s, and is made again', async () => {
    const link = connected();
    const failed = expect(link.call('SendKey', {})).rejects.toMatchObject({
      details: { reason: 'SILENT' },
    });
    await vi.advanceTimersByTimeAsync(3_000);
    expect(TestSocket.last.messages.at(-1)).toMatchObject({ method: 'Ping' });
    const [socket] = TestSocket.all;
    await vi.advanceTimersByTimeAsync(2_000);
    await failed;
    expect([link.state.value, socket?.messages.at(-1)]).toEqual(['lost', { withdraw: true }]);
  });

  it('with a call that takes long is asked, and stays', async () => {
    const link = connected();
    void link.call('Grep', {});
    for (let times = 0; times < 10; times++) {
      await vi.advanceTimersByTimeAsync(3_000);
      expect(TestSocket.last.messages.at(-1)).toMatchObject({ method: 'Ping' });
      TestSocket.last.answer();
    }
    expect([link.state.value, TestSocket.all.length]).toEqual(['up', 1]);
  });

  it('that answers nothing after a sleep is made again within a second', async () => {
    const link = connected();
    page.dispatchEvent(new Event('focus'));
    expect(TestSocket.last.messages.at(-1)).toMatchObject({ method: 'Ping' });
    TestSocket.last.answer();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(TestSocket.all).toHaveLength(1);
    // The clock goes on while timers wait.
    vi.setSystemTime(Date.now() + 3_600_000);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(TestSocket.last.messages.at(-1)).toMatchObject({ method: 'Ping' });
    await vi.advanceTimersByTimeAsync(1_000);
    expect([link.state.value, TestSocket.all.length]).toEqual(['lost', 2]);
  });
});
