import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeUtf8 } from '#base';
import type { AgentInfo, SubscriptionEvent } from '#model';
import { EventFeed, type FeedSource, type KnownResize, markNow, missedEvents } from '#watch';
import { runs } from '../../test/support/run/runs.ts';
import { SubscribedTerminal } from '../../test/support/service/subscribed-terminal.ts';
import { WatchedTerminal } from '../../test/support/session/watched-terminal.ts';
import { VirtualClock } from '../../test/support/virtual-clock.ts';
import { expectSameTerminal } from '../../test/support/vt/same-terminal.ts';
import { output, screenSize, sizeChange } from '../../test/support/vt/terminal-output.ts';

const megabyte = 1024 * 1024;

function begin() {
  const watched = new WatchedTerminal();
  const feed = new EventFeed(watched, { clock: new VirtualClock() });
  const types = async (count: number) => {
    const texts: string[] = [];
    for (let left = count; left > 0; left--) texts.push((await feed.next()).value?.type ?? 'end');
    return texts;
  };
  return { watched, feed, types };
}

describe('EventFeed', () => {
  it('returns the state, then the events, and ends after the exit', async () => {
    const { watched, feed, types } = begin();
    watched.output('one');
    watched.resize({ cols: 30, rows: 5 });
    watched.exit();
    expect(await types(6)).toEqual(['snapshot', 'output', 'resize', 'exit', 'end', 'end']);
    expect(watched.listenerCount).toBe(0);
    expect(await feed.next()).toEqual({ done: true, value: undefined });
  });

  it('returns the state and the exit if the program has exited', async () => {
    const watched = new WatchedTerminal();
    watched.output('last words');
    watched.exit({ code: 3, signal: null });
    const events: SubscriptionEvent[] = [];
    for await (const event of new EventFeed(watched, { clock: new VirtualClock() }))
      events.push(event);
    expect(events).toMatchObject([
      { type: 'snapshot', revision: watched.terminal.revision },
      { type: 'exit', revision: watched.terminal.revision, status: { code: 3, signal: null } },
    ]);
  });

  it('keeps output whose memory is used again', async () => {
    const { watched, feed } = begin();
    const memory = Buffer.from('one');
    watched.outputByFrames(memory);
    memory.fill('?');
    await feed.next();
    const { value } = await feed.next();
    expect(value?.type === 'output' && decodeUtf8(value.bytes)).toBe('one');
  });

  it('gives events to pending calls of next in order', async () => {
    const { watched, feed } = begin();
    const pulls = [feed.next(), feed.next(), feed.next(), feed.next()];
    watched.output('one');
    watched.exit();
    const types = (await Promise.all(pulls)).map(({ value }) => value?.type);
    expect(types).toEqual(['snapshot', 'output', 'exit', undefined]);
  });

  it('releases everything and ends pending calls when disposed', async () => {
    const { watched, feed } = begin();
    await feed.next();
    const waiting = [feed.next(), feed.next()];
    feed.dispose();
    feed.dispose();
    watched.output('too late');
    const done = { done: true, value: undefined };
    expect(await Promise.all([...waiting, feed.next()])).toEqual([done, done, done]);
    expect(watched.listenerCount).toBe(0);
  });

  it('is disposed when a loop over it ends', async () => {
    const { watched, feed } = begin();
    for await (const event of feed) {
      expect(event.type).toBe('snapshot');
      break;
    }
    expect(watched.listenerCount).toBe(0);
  });

  // NUL, which terminals ignore: only the count matters here.
  const chunk = new Uint8Array(64 * 1024);
  const chunksKept = (8 * megabyte) / chunk.length;

  it('buffers 8 MiB for a slow consumer', async () => {
    const { watched, types } = begin();
    for (let count = 0; count < chunksKept; count++) watched.output(chunk);
    expect(await types(3)).toEqual(['snapshot', 'output', 'output']);
  });

  describe('gives a slow consumer the last event of the agent behind its new state', () => {
    const agentOf = (turn: number): AgentInfo => ({
      kind: 'claude',
      state: 'idle',
      sinceMs: 0,
      turn,
      evidence: [],
      rules: 'vtr',
    });

    /** A feed, and a function that tells it of an agent. */
    function beginWithAgent(isLarge = false) {
      const watched = new WatchedTerminal();
      let listener: Parameters<FeedSource['onEvent']>[0] = () => {};
      let parts = isLarge ? 1 : 0;
      const snapshotting: FeedSource['snapshotting'] = (lines) => {
        const whole = watched.snapshotting(lines);
        return { next: () => (parts-- > 0 ? null : whole.next()) };
      };
      const source: FeedSource = {
        snapshotting,
        terminal: watched.terminal,
        exitStatus: null,
        onEvent: (onEvent) => {
          listener = onEvent;
          return watched.onEvent(onEvent);
        },
      };
      const feed = new EventFeed(source, { clock: new VirtualClock() });
      const tell = (turn: number | null) => {
        const agent = turn === null ? null : agentOf(turn);
        listener({ type: 'agent', agent, revision: watched.terminal.revision, atMs: 0 });
      };
      const next = async () => (await feed.next()).value;
      return { watched, feed, tell, next };
    }

    const flood = (watched: WatchedTerminal) => {
      for (let count = 0; count <= chunksKept; count++) watched.output(chunk);
    };

    it('whether it waited, or came while the state was made', async () => {
      const { watched, feed, tell, next } = beginWithAgent();
      await next();
      tell(1);
      flood(watched);
      const state = await next();
      expect(state).toMatchObject({ type: 'snapshot' });
      const { revision } = watched.terminal;
      expect(await next()).toMatchObject({ type: 'agent', agent: { turn: 1 }, revision });
      flood(watched);
      tell(2);
      tell(null);
      expect(await next()).toMatchObject({ type: 'snapshot' });
      expect(await next()).toMatchObject({ type: 'agent', agent: null });
      feed.dispose();
    });

    it('once: not again after a later state', async () => {
      const { watched, feed, tell, next } = beginWithAgent();
      await next();
      tell(1);
      expect(await next()).toMatchObject({ type: 'agent', agent: { turn: 1 } });
      flood(watched);
      expect(await next()).toMatchObject({ type: 'snapshot' });
      watched.output('later');
      expect(await next()).toMatchObject({ type: 'output' });
      feed.dispose();
    });

    it('also behind a first state that takes long to make', async () => {
      const { feed, tell, next } = beginWithAgent(true);
      tell(1);
      expect(await next()).toMatchObject({ type: 'snapshot' });
      expect(await next()).toMatchObject({ type: 'agent', agent: { turn: 1 } });
      feed.dispose();
    });
  });

  it('buffers 1 MiB for a consumer whose states are one screen', async () => {
    const watched = new WatchedTerminal();
    const feed = new EventFeed(watched, { clock: new VirtualClock(), scrollbackLines: 0 });
    await feed.next();
    for (let count = 0; count < chunksKept / 8; count++) watched.output(chunk);
    expect((await feed.next()).value).toMatchObject({ type: 'output' });
    for (let count = 0; count < 2; count++) watched.output(chunk);
    const { value } = await feed.next();
    expect(value).toMatchObject({ type: 'snapshot', revision: watched.terminal.revision });
    feed.dispose();
  });

  it('buffers as much as the consumer says', async () => {
    const watched = new WatchedTerminal();
    const clock = new VirtualClock();
    const feed = new EventFeed(watched, { clock, maxWaitingBytes: 2 * chunk.length });
    await feed.next();
    for (let count = 0; count < 2; count++) watched.output(chunk);
    expect((await feed.next()).value).toMatchObject({ type: 'output' });
    for (let count = 0; count < 2; count++) watched.output(chunk);
    expect((await feed.next()).value).toMatchObject({ type: 'snapshot' });
    feed.dispose();
  });

  it('buffers no more after the events that the consumer missed', async () => {
    const watched = new WatchedTerminal();
    const mark = markNow(watched);
    for (let count = 0; count < 2; count++) watched.output(chunk);
    const missed = missedEvents(watched, mark, { after: 0, resizes: [] }, 5) ?? [];
    const clock = new VirtualClock();
    const feed = new EventFeed(watched, { clock, maxWaitingBytes: 2 * chunk.length, missed });
    for (const _ of missed) await feed.next();
    for (let count = 0; count < 3; count++) watched.output(chunk);
    expect((await feed.next()).value).toMatchObject({ type: 'snapshot' });
    feed.dispose();
  });

  it('continues from a new state for a slower consumer', async () => {
    const { watched, feed, types } = begin();
    for (let count = 0; count <= chunksKept; count++) watched.output(chunk);
    watched.output('and more');
    const { value } = await feed.next();
    expect(value).toMatchObject({ type: 'snapshot', revision: watched.terminal.revision });
    watched.output('next');
    watched.exit();
    expect(await types(3)).toEqual(['output', 'exit', 'end']);
  });

  it('delivers the exit even to a consumer that was too slow', async () => {
    const { watched, types } = begin();
    for (let count = 0; count <= 3 * chunksKept; count++) watched.output(chunk);
    watched.exit();
    expect(await types(3)).toEqual(['snapshot', 'exit', 'end']);
  });

  it('buffers as much again after the consumer has caught up', async () => {
    const { watched, types } = begin();
    for (let round = 0; round < 3; round++) {
      for (let count = 0; count <= 2 * chunksKept; count++) watched.output(chunk);
      expect(await types(1)).toEqual(['snapshot']);
    }
    for (let count = 0; count < chunksKept; count++) watched.output(chunk);
    expect(await types(1)).toEqual(['output']);
  });

  it('buffers 100,000 events', async () => {
    const { watched, types } = begin();
    for (let count = 0; count < 100_000; count++) watched.output('\x07');
    expect(await types(1)).toEqual(['snapshot']);
  });

  /** A terminal whose state takes three calls to make. */
  function beginLarge(callMs: number) {
    const watched = new WatchedTerminal();
    const clock = new VirtualClock();
    let count = 0;
    const source: FeedSource = {
      terminal: watched.terminal,
      exitStatus: null,
      onEvent: (listener) => watched.onEvent(listener),
      snapshotting: (scrollbackLines) => {
        const state = watched.snapshotting(scrollbackLines);
        let left = 3;
        return {
          next: () => {
            count++;
            clock.stall(callMs);
            left--;
            return left > 0 ? null : state.next();
          },
        };
      },
    };
    const feed = new EventFeed(source, { clock });
    return { watched, clock, feed, made: () => count };
  }

  it('makes a large state when it is taken, in turns, and keeps the events after it', async () => {
    const { watched, clock, feed, made } = beginLarge(1);
    expect(made()).toBe(1);
    watched.output('before');
    const first = feed.next();
    expect(made()).toBe(3);
    watched.output('at the same time');
    expect(await first).toMatchObject({ value: { type: 'snapshot', revision: 1 } });
    expect(await feed.next()).toMatchObject({ value: { type: 'output', revision: 2 } });
    expect(clock.pending).toBe(0);
  });

  it('lets others run while it makes a state', async () => {
    const { watched, clock, feed, made } = beginLarge(5);
    const taken = feed.next();
    expect(made()).toBe(2);
    watched.output('while it is made');
    expect(made()).toBe(2);
    clock.settleIo();
    expect(await taken).toMatchObject({ value: { type: 'snapshot', revision: 1 } });
    expect(made()).toBe(3);
    const waiting = feed.next();
    feed.dispose();
    expect(await waiting).toMatchObject({ done: true });
    expect(clock.pending).toBe(0);
  });

  it('begins with the events after a mark in place of the state', async () => {
    const watched = new WatchedTerminal();
    watched.output('one');
    const mark = markNow(watched);
    watched.output('two');
    const place = { after: 0, resizes: [] };
    const missed = missedEvents(watched, mark, place, 5) ?? [];
    const feed = new EventFeed(watched, { clock: new VirtualClock(), missed });
    watched.output('three');
    const texts = [];
    for (let left = 2; left > 0; left--) {
      const { value } = await feed.next();
      if (value?.type === 'output') texts.push(decodeUtf8(value.bytes));
    }
    expect(texts).toEqual(['two', 'three']);
  });

  async function* all(events: readonly SubscriptionEvent[]) {
    yield* events;
  }

  it('[law 4] the events after a mark give the state of now', async () => {
    const changes = fc.array(fc.oneof(output, sizeChange), { maxLength: 12 });
    const property = fc.asyncProperty(screenSize, changes, fc.nat(12), async (size, list, at) => {
      const watched = new WatchedTerminal(size);
      const resizes: KnownResize[] = [];
      watched.onEvent((event) => {
        if (event.type === 'resize') resizes.push({ ...event, offset: watched.outputEnd });
      });
      const apply = (step: (typeof list)[number]) =>
        step instanceof Uint8Array ? watched.output(step) : watched.resize(step.size, step.place);
      list.slice(0, at).forEach(apply);
      const state = watched.snapshotting().next();
      const mark = markNow(watched);
      list.slice(at).forEach(apply);
      const missed = missedEvents(watched, mark, { after: 0, resizes }, 0);
      if (state === null || missed === null) throw new Error('it is large');
      const copy = new SubscribedTerminal(all([state, ...missed]));
      await copy.take(1 + missed.length);
      expectSameTerminal(copy.terminal, watched.terminal);
      const revisions = missed.map(({ revision }) => revision);
      expect(revisions).toEqual([...revisions].sort((a, b) => a - b));
    });
    await fc.assert(property, runs(200));
  });

  it('has no events after a mark if some are not known', () => {
    const watched = new WatchedTerminal();
    const mark = markNow(watched);
    watched.output('one');
    expect(missedEvents(watched, mark, { after: 1, resizes: [] }, 0)).toBe(null);
    expect(missedEvents(watched, mark, { after: 0, resizes: [] }, 0)).toHaveLength(1);
  });

  const steps = fc.array(fc.oneof(output, sizeChange, fc.constant({ type: 'read' as const })), {
    maxLength: 12,
  });

  it('[law 4] the state at n and the events after it give the state at m', async () => {
    const property = fc.asyncProperty(screenSize, steps, fc.nat(12), async (size, list, start) => {
      const watched = new WatchedTerminal(size);
      const subscribers: SubscribedTerminal[] = [];
      for (const [index, step] of list.entries()) {
        if (index === start % list.length)
          subscribers.push(
            new SubscribedTerminal(new EventFeed(watched, { clock: new VirtualClock() })),
          );
        if (step instanceof Uint8Array) watched.output(step);
        else if ('size' in step) watched.resize(step.size, step.place);
        else {
          for (const each of subscribers) {
            if (each.revision < watched.terminal.revision) await each.take(1);
          }
        }
      }
      for (const each of subscribers) {
        await each.takeUntilRevision(watched.terminal.revision);
        expectSameTerminal(each.terminal, watched.terminal);
      }
    });
    await fc.assert(property, runs(200));
  });
});
