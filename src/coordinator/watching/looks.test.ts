import { describe, expect, it } from 'vitest';
import type { AgentInfo, AgentState } from '#model';
import { fakeSession } from '../../../test/support/session/fake-session.ts';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';
import { Registry } from '../registry.ts';
import { Looks } from './looks.ts';

const agent = (state: AgentState, turn: number): AgentInfo => ({
  kind: 'codex',
  state,
  turn,
  sinceMs: 0,
  evidence: [],
  rules: 'vtr',
});

/** A session with an agent, at which persons look. */
class Watched {
  readonly registry = new Registry();
  readonly session = fakeSession().session;
  readonly clock = new VirtualClock();
  saves = 0;
  readonly looked: string[] = [];
  readonly looks = new Looks({
    registry: this.registry,
    clock: this.clock,
    save: () => this.saves++,
    onLook: (id) => this.looked.push(id),
  });
  #agent: AgentInfo | null = null;

  constructor() {
    this.registry.add(this.session);
  }

  changes(now: AgentInfo | null): this {
    this.#agent = now;
    this.looks.agentChanged(this.session.id, now);
    return this;
  }

  ends(turn: number): this {
    return this.changes(agent('busy', turn - 1)).changes(agent('idle', turn));
  }

  begins() {
    return this.looks.begin(this.session.id);
  }

  get isDone(): boolean {
    return this.looks.withDone(this.session, this.#agent)?.done ?? false;
  }
}

describe('an agent is done', () => {
  it('from the end of its turn until a person looks', () => {
    const watched = new Watched();
    expect(watched.changes(agent('idle', 0)).isDone).toBe(false);
    expect(watched.ends(1).isDone).toBe(true);
    watched.begins().dispose();
    expect(watched.looked).toEqual([watched.session.id]);
    expect(watched.isDone).toBe(false);
    // It is drawn again, which is no other turn.
    watched.changes(agent('unknown', 1)).changes(agent('idle', 1));
    expect(watched.isDone).toBe(false);
    expect(watched.ends(2).isDone).toBe(true);
  });

  it('not of turns that end while a person looks, also in another window', () => {
    const watched = new Watched();
    const [one, two] = [watched.begins(), watched.begins()];
    one.dispose();
    expect(watched.changes(agent('idle', 0)).ends(1).isDone).toBe(false);
    two.dispose();
    expect(watched.isDone).toBe(false);
    expect(watched.ends(2).isDone).toBe(true);
  });

  it('not while it asks, works or cannot be told, nor when it has left the foreground', () => {
    const watched = new Watched().changes(agent('idle', 0)).ends(1);
    for (const state of ['asks', 'unknown'] as const) {
      watched.changes(agent(state, 1));
      expect([state, watched.isDone]).toEqual([state, false]);
      watched.changes(agent('idle', 1));
      expect([state, watched.isDone]).toEqual([state, true]);
    }
    expect(watched.changes(agent('busy', 1)).isDone).toBe(false);
    watched.changes(agent('idle', 2)).changes(null);
    // Another agent counts its turns from 0.
    expect(watched.changes(agent('idle', 0)).isDone).toBe(false);
    expect(watched.ends(1).isDone).toBe(true);
  });

  it('in the next coordinator, too', () => {
    const before = new Watched().changes(agent('idle', 0)).ends(1);
    expect(before.saves).toBeGreaterThan(0);
    const saved = JSON.parse(JSON.stringify(before.looks.saved(before.session)));
    const after = new Watched();
    after.looks.restore(after.session, saved);
    expect(after.changes(agent('unknown', 0)).changes(agent('idle', 0)).isDone).toBe(true);
    after.begins();
    expect(after.isDone).toBe(false);
    // Who looks already has seen it.
    const fixture = new Watched();
    fixture.begins();
    fixture.looks.restore(fixture.session, saved);
    expect(fixture.changes(agent('idle', 0)).isDone).toBe(false);
  });

  it('and what a session is watched for, begins when somebody chose or looked, in the next coordinator, too', () => {
    const before = new Watched();
    const { id } = before.session;
    expect(before.looks.of(id)).toEqual({ isSeen: false, seenMs: 0, watchedMs: 0 });
    before.looks.watch(id);
    const watchedMs = before.clock.wallMs();
    expect(before.looks.unseenSince(id, 5)).toBe(5);
    expect(before.looks.unseenSince(id, 7)).toBe(5);
    before.clock.advance(1_000);
    before.begins().dispose();
    expect(before.looks.unseenSince(id, 9)).toBe(9);
    const after = new Watched();
    after.looks.restore(
      after.session,
      JSON.parse(JSON.stringify(before.looks.saved(before.session))),
    );
    const state = { isSeen: false, seenMs: watchedMs + 1_000, watchedMs };
    expect(after.looks.of(after.session.id)).toEqual(state);
    after.begins();
    expect(after.looks.of(after.session.id).isSeen).toBe(true);
  });

  it('not by what was saved and is damaged', () => {
    for (const saved of [null, undefined, 7, { lastMs: 'x', isUnseen: 'yes' }, []]) {
      const watched = new Watched();
      watched.looks.restore(watched.session, saved);
      expect(watched.changes(agent('idle', 0)).isDone).toBe(false);
    }
  });

  it('with nothing to save before anyone looks', () => {
    const watched = new Watched().changes(agent('idle', 0));
    expect([watched.saves, watched.looks.saved(watched.session)]).toEqual([0, undefined]);
  });
});
