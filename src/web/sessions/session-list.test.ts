import { setImmediate as nextTurn } from 'node:timers/promises';
import { signal } from '@preact/signals';
import { describe, expect, it } from 'vitest';
import type { SessionJson } from '#messages';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';
import type { Calls, LinkState, StreamListener } from '../link/link.ts';
import { SessionList } from './session-list.ts';

/** A list of sessions whose coordinator is the test. */
function listOf(...sessions: SessionJson[]) {
  const calls: [string, unknown][] = [];
  const failures: Error[] = [];
  const clock = new VirtualClock();
  const link = {
    state: signal<LinkState>('up'),
    onUp: (listener: () => void) => {
      listener();
      return () => {};
    },
    async call(method: string, body: unknown) {
      calls.push([method, body]);
      const [failure] = failures;
      if (failure !== undefined) throw failure;
      return {};
    },
    open(_method: string, _body: unknown, listener: StreamListener<never>) {
      void listener.message({ body: { sessions: { sessions } } as never, bytes: null });
      return { close: () => {} };
    },
  } as unknown as Calls;
  const list = new SessionList(link, clock);
  return {
    list,
    made: calls,
    clock,
    failures,
    names: () => list.ordered.value.map(({ name }) => name),
  };
}

const since = '2026-11-29T10:00:00Z';
const session = (name: string, kind?: string, status = 'RUNNING'): SessionJson =>
  ({
    name,
    id: name,
    status: `SESSION_STATUS_${status}`,
    createdAt: since,
    ...(kind !== undefined && { attention: { kind: `ATTENTION_KIND_${kind}`, since } }),
  }) as SessionJson;

describe('[S3.32] the sessions of the page', () => {
  it('that ask are first, then those that failed; quiet and ended ones are not before others', () => {
    const { names } = listOf(
      session('ended', 'DONE', 'EXITED'),
      session('quiet', 'QUIET'),
      session('works'),
      session('failed', 'FAILED'),
      session('asks', 'INPUT'),
    );
    expect(names()).toEqual(['asks', 'failed', 'quiet', 'works', 'ended']);
  });

  it('are removed after a time in which the person can keep them', async () => {
    const { list, made, clock, names } = listOf(session('one'), session('two'));
    const removed = () => made.filter(([method]) => method === 'Remove');
    const [one, two] = list.ordered.value;
    if (one === undefined || two === undefined) throw new Error('there are no sessions');
    const keep = list.removeLater(one, 10_000, () => {});
    list.removeLater(two, 10_000, () => {});
    expect(names()).toEqual([]);
    keep();
    expect(names()).toEqual(['one']);
    clock.advance(9_999);
    expect(removed()).toEqual([]);
    clock.advance(1);
    expect(removed()).toEqual([['Remove', { name: 'two', sessionId: 'two', keepsWork: true }]]);
  });

  it('that cannot be removed are shown again', async () => {
    const { list, clock, names, failures } = listOf(session('one'));
    failures.push(new Error('it does not end'));
    const texts: string[] = [];
    const [one] = list.ordered.value;
    if (one !== undefined) list.removeLater(one, 10_000, ({ message }) => texts.push(message));
    clock.advance(10_000);
    await nextTurn();
    expect([names(), texts]).toEqual([['one'], ['it does not end']]);
  });
});
