import { EventEmitter, on } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Coordinator, type Subscription, type SubscriptionEvent, VtrError } from '#model';
import type { McpOptions } from '../options.ts';
import { Service } from '../service.ts';
import { ResourceWatch } from './resource-watch.ts';

const gatherMs = 200;
const stamp = { revision: 1, atMs: 0 };
const snapshot = { ...stamp, type: 'snapshot' } as SubscriptionEvent;
const output = { ...stamp, type: 'output' } as SubscriptionEvent;
const mark = { ...stamp, type: 'mark' } as SubscriptionEvent;
const title = { ...stamp, type: 'title' } as SubscriptionEvent;

/** A coordinator with subscriptions only. */
class Sessions {
  readonly open: string[] = [];
  readonly #feeds = new Map<string, EventEmitter>();
  readonly #missing = new Set<string>();

  happens(session: string, ...events: readonly SubscriptionEvent[]): void {
    for (const event of events) this.#feeds.get(session)?.emit('event', event);
  }

  /** The session ends, or there is none from the beginning. */
  ends(session: string): void {
    this.#feeds.get(session)?.emit('end');
    this.#missing.add(session);
  }

  begins(session: string): void {
    this.#missing.delete(session);
  }

  async subscribe(session: string): Promise<Subscription> {
    if (this.#missing.has(session)) throw new VtrError('SESSION_NOT_FOUND', session);
    const feed = new EventEmitter();
    this.#feeds.set(session, feed);
    this.open.push(session);
    const events = on(feed, 'event', { close: ['end'] });
    return {
      async *[Symbol.asyncIterator]() {
        for await (const [event] of events) yield event;
      },
      dispose: () => {
        this.open.splice(this.open.indexOf(session), 1);
        events.return?.(undefined);
      },
    };
  }
}

function watched() {
  const sessions = new Sessions();
  const reach = async () => sessions as unknown as Coordinator;
  const service = new Service({ reach, start: reach }, {} as McpOptions, () => {});
  const texts: string[] = [];
  const watch = new ResourceWatch(service, {
    updated: (uri) => void texts.push(uri),
    listChanged: () => void texts.push('list'),
  });
  return { sessions, service, told: texts, watch };
}

describe('ResourceWatch', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());
  const settled = () => vi.advanceTimersByTimeAsync(0);

  it('watches a session once, while somebody is subscribed', async () => {
    const { sessions, watch } = watched();
    const wants = [
      watch.want('terminal://a/screen'),
      watch.want('terminal://a/screen'),
      watch.want('terminal://a/commands'),
    ];
    await settled();
    for (const want of wants) {
      expect(sessions.open).toEqual(['a']);
      want.dispose();
      want.dispose();
    }
    expect(sessions.open).toEqual([]);
  });

  it('closes a subscription that is no longer wanted when it opens', async () => {
    const { sessions, watch } = watched();
    watch.want('terminal://a/screen').dispose();
    await settled();
    expect(sessions.open).toEqual([]);
    watch.want('terminal://b/screen');
    await settled();
    watch.dispose();
    expect(sessions.open).toEqual([]);
  });

  it('watches no more sessions than the limit', async () => {
    const { sessions, watch } = watched();
    const wants = Array.from({ length: 100 }, (_, n) => watch.want(`terminal://s${n}/screen`));
    await settled();
    expect(sessions.open).toHaveLength(64);
    for (const want of wants) want.dispose();
    watch.want('terminal://another/screen');
    await settled();
    expect(sessions.open).toEqual(['another']);
  });

  it('subscribes to nothing for other URIs', async () => {
    const { sessions, watch } = watched();
    for (const uri of ['terminal://a/other', 'terminal://a', 'file:///a/screen', ''])
      watch.want(uri);
    await settled();
    expect(sessions.open).toEqual([]);
  });

  it('reports changes of events, collected, and not the first state', async () => {
    const { sessions, watch, told } = watched();
    watch.want('terminal://a/screen');
    watch.want('terminal://a/commands');
    await settled();
    sessions.happens('a', snapshot, title);
    await vi.advanceTimersByTimeAsync(gatherMs);
    expect(told).toEqual([]);
    sessions.happens('a', output, output);
    await vi.advanceTimersByTimeAsync(gatherMs - 1);
    sessions.happens('a', output);
    await vi.advanceTimersByTimeAsync(1);
    expect(told).toEqual(['terminal://a/screen']);
    sessions.happens('a', mark);
    await vi.advanceTimersByTimeAsync(gatherMs);
    expect(told).toEqual(['terminal://a/screen', 'terminal://a/commands']);
    sessions.happens('a', snapshot);
    await vi.advanceTimersByTimeAsync(gatherMs);
    expect(told.slice(2)).toEqual(['terminal://a/screen', 'terminal://a/commands']);
  });

  it('goes on with the next session of that name, whose state is a change', async () => {
    const { sessions, service, watch, told } = watched();
    const [screen, commands] = ['terminal://a/screen', 'terminal://a/commands'];
    sessions.ends('a');
    const want = watch.want(screen);
    await settled();
    expect(sessions.open).toEqual([]);
    for (let time = 0; time < 2; time++) {
      sessions.begins('a');
      service.onCreate('a');
      await settled();
      expect(sessions.open).toEqual(['a']);
      sessions.happens('a', snapshot);
      await vi.advanceTimersByTimeAsync(gatherMs);
      expect(told.splice(0)).toEqual(['list', screen]);
      sessions.ends('a');
      await settled();
      expect(sessions.open).toEqual([]);
    }
    // Somebody else makes it: the next subscription watches it, for all.
    sessions.begins('a');
    const second = watch.want(commands);
    await settled();
    sessions.happens('a', snapshot);
    await vi.advanceTimersByTimeAsync(gatherMs);
    expect(told.splice(0)).toEqual([screen, commands]);
    for (const each of [want, second]) each.dispose();
    expect(sessions.open).toEqual([]);
  });

  it('reports nothing after it is disposed', async () => {
    const { sessions, watch, told, service } = watched();
    const want = watch.want('terminal://a/screen');
    await settled();
    sessions.happens('a', snapshot, output);
    await settled();
    want.dispose();
    service.destroyed('a');
    watch.dispose();
    await vi.advanceTimersByTimeAsync(10 * gatherMs);
    expect(told).toEqual([]);
  });

  it('reports one change of the list for many sessions', async () => {
    const { service, told } = watched();
    for (let count = 0; count < 10; count++) service.onCreate(`s${count}`);
    await vi.advanceTimersByTimeAsync(10 * gatherMs);
    expect(told).toEqual(['list']);
  });
});
