import fc from 'fast-check';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Emitter, encodeUtf8, ignored } from '#base';
import {
  type Coordinator,
  cellsText,
  type KeyPress,
  type Size,
  type Viewing,
  VtrError,
} from '#model';
import { type Picture, TtyDecoder, type TtyEvent } from '#tty';
import { runs } from '../../../../test/support/run/runs.ts';
import { DrivenSession } from '../../../../test/support/session/driven-session.ts';
import { Keys } from '../keys.ts';
import type { Tty } from '../tty-screen/tty.ts';
import { AttachedSession } from './attached-session.ts';

/** What happens to the next keys that a connection sends. */
type Fate = 'whole' | 'lostBefore' | 'lostAfter';

type Action =
  | { readonly person: number; readonly types: number }
  | { readonly person: number; readonly pastes: number }
  | { readonly person: number; readonly interrupts: true }
  | { readonly person: number; readonly size: Size }
  | { readonly person: number; readonly loses: Exclude<Fate, 'whole'> | 'idle' }
  | { readonly other: 'sends' | 'takes' | 'gives' | 'watches' }
  | { readonly passMs: number }
  | { readonly restarts: true };

const person = fc.nat(1);
const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ person, types: fc.integer({ min: 1, max: 3 }) }) },
  fc.record({ person, pastes: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ person, interrupts: fc.constant(true as const) }),
  // What a person is told has room in these.
  fc.record({
    person,
    size: fc.record({
      cols: fc.integer({ min: 80, max: 120 }),
      rows: fc.integer({ min: 4, max: 20 }),
    }),
  }),
  fc.record({
    person,
    loses: fc.constantFrom('lostBefore' as const, 'lostAfter' as const, 'idle' as const),
  }),
  fc.record({
    other: fc.constantFrom(
      'sends' as const,
      'takes' as const,
      'gives' as const,
      'watches' as const,
    ),
  }),
  fc.record({ passMs: fc.constantFrom(0, 50, 400, 5_000, 61_000) }),
  fc.record({ restarts: fc.constant(true as const) }),
);

const lost = () => new VtrError('UNAVAILABLE', 'the connection was lost');

/** A connection to the coordinator of the session, which breaks when the test says so. */
class Wire {
  readonly #there: Coordinator;
  readonly #reached: (keys: readonly string[]) => void;
  readonly #viewings = new Set<Viewing>();
  fate: Fate = 'whole';
  isBroken = false;
  #break: (error: VtrError) => void = () => {};
  readonly broken = new Promise<never>((_resolve, reject) => {
    this.#break = reject;
  });

  constructor(there: Coordinator, reached: (keys: readonly string[]) => void) {
    this.#there = there;
    this.#reached = reached;
    ignored(this.broken, 'calls that are made then fail with it');
  }

  /** @param isKilled whether the coordinator is: else it ends the viewings of a client that has gone */
  async break(isKilled = false): Promise<void> {
    if (this.isBroken) return;
    this.isBroken = true;
    this.#break(lost());
    if (isKilled) return;
    const ended = [...this.#viewings].map((each) => ignored(each.dispose(), 'it may have ended'));
    await Promise.all(ended);
  }

  get coordinator(): Coordinator {
    const coordinator = this.#there;
    const whole = <T>(call: () => Promise<T>): Promise<T> =>
      this.isBroken ? Promise.reject(lost()) : Promise.race([call(), this.broken]);
    const until = <T>(events: AsyncIterable<T>) => ({
      [Symbol.asyncIterator]: () => {
        const each = events[Symbol.asyncIterator]();
        return { next: () => Promise.race([each.next(), this.broken]) };
      },
    });
    const calls = {
      info: (...args: Parameters<Coordinator['info']>) => whole(() => coordinator.info(...args)),
      view: (...args: Parameters<Coordinator['view']>) =>
        whole(async () => {
          const viewing = await coordinator.view(...args);
          this.#viewings.add(viewing);
          return {
            ...until(viewing),
            id: viewing.id,
            dispose: () => viewing.dispose(),
            look: (looking: boolean) => whole(() => viewing.look(looking)),
            resize: (size: Size) => whole(() => viewing.resize(size)),
          };
        }),
      subscribe: (...args: Parameters<Coordinator['subscribe']>) =>
        whole(async () => {
          const events = await coordinator.subscribe(...args);
          return { ...until(events), dispose: () => events.dispose() };
        }),
      watchSessions: () =>
        whole(async () => {
          const events = await coordinator.watchSessions();
          return { ...until(events), dispose: () => events.dispose() };
        }),
      sendKeys: (...args: Parameters<Coordinator['sendKeys']>) =>
        whole(() =>
          this.#send(
            () => coordinator.sendKeys(...args),
            (args[1] as readonly KeyPress[]).map(({ key, ctrl }) => (ctrl ? `ctrl+${key}` : key)),
          ),
        ),
      sendText: (...args: Parameters<Coordinator['sendText']>) =>
        whole(() => this.#send(() => coordinator.sendText(...args), [...args[1]])),
      close: async () => {},
    };
    return calls as unknown as Coordinator;
  }

  async #send<T>(call: () => Promise<T>, keys: readonly string[]): Promise<T> {
    const { fate } = this;
    if (fate === 'lostBefore') {
      await this.break();
      throw lost();
    }
    const result = await call();
    this.#reached(keys);
    if (fate === 'lostAfter') {
      await this.break();
      throw lost();
    }
    return result;
  }
}

const interrupt = 'ctrl+c';

/** What a person is told of keys that do not reach the program, or may not. */
const tells = /not sent|may not have arrived|has held it|holds it/;

/** A person at a terminal in which the session is attached. */
class AttachedPerson {
  readonly #events = new Emitter<readonly TtyEvent[]>((error) => {
    throw error;
  });
  readonly #driven: DrivenSession;
  readonly #resizes = new Emitter<Size>((error) => {
    throw error;
  });
  readonly #reached: (keys: readonly string[]) => void;
  readonly end: Promise<unknown>;
  wire: Wire;
  /** What was typed, and how many pictures were shown before. */
  readonly typed: { readonly key: string; readonly shown: number }[] = [];
  readonly shown: string[] = [];
  /** How many pictures were shown before each Ctrl+c. */
  readonly interrupted: number[] = [];
  /** How often Ctrl+c has reached the program. */
  interrupts = 0;
  #size: Size = { cols: 100, rows: 10 };
  #next: number;

  /** @param first the first of the keys that the person types */
  constructor(
    driven: DrivenSession,
    id: string,
    name: string,
    first: number,
    reached: (keys: readonly string[]) => void,
  ) {
    this.#driven = driven;
    this.#next = first;
    this.#reached = (keys) => {
      this.interrupts += keys.filter((key) => key === interrupt).length;
      reached(keys.filter((key) => key !== interrupt));
    };
    this.wire = new Wire(driven.coordinator, this.#reached);
    const connect = async () => {
      this.wire = new Wire(this.#driven.coordinator, this.#reached);
      return this.wire.coordinator;
    };
    const session = new AttachedSession(this.#tty(), {
      link: { name: 'default', socket: '', connect, responds: async () => true },
      session: { name: driven.name, id },
      person: name,
      settings: {
        keys: new Keys({ key: 'b', ctrl: true }),
        status: 'on',
        clipboard: false,
        bell: 'none',
        notifications: 'status',
        endsWithProgram: false,
      },
    });
    this.end = session.run();
  }

  #tty(): Tty {
    const ignored = () => {};
    const size = () => this.#size;
    return {
      get size() {
        return size();
      },
      show: (draw: () => Picture) => {
        this.shown.push(draw().rows.map(cellsText).join('\n'));
      },
      setModes: ignored,
      ring: ignored,
      leave: ignored,
      onEvents: (listener: (all: readonly TtyEvent[]) => void) => this.#events.on(listener),
      onResize: (listener: (size: Size) => void) => this.#resizes.on(listener),
    } as unknown as Tty;
  }

  /** Types keys of its own, none of them twice. */
  type(count: number): void {
    this.#emit(this.#keys(count));
  }

  paste(count: number): void {
    this.#emit(`\x1b[200~${this.#keys(count)}\x1b[201~`);
  }

  interrupt(): void {
    this.interrupted.push(this.shown.length);
    this.#emit('\x03');
  }

  resize(size: Size): void {
    this.#size = size;
    this.#resizes.emit(size);
  }

  #keys(count: number): string {
    const keys = Array.from({ length: count }, () => String.fromCharCode(this.#next++));
    for (const key of keys) this.typed.push({ key, shown: this.shown.length });
    return keys.join('');
  }

  #emit(text: string): void {
    this.#events.emit(new TtyDecoder().feed(encodeUtf8(text)));
  }

  detach(): void {
    this.#emit('\x02d');
  }
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** What people, an agent and others do with one session. */
class Actors {
  readonly driven: DrivenSession;
  readonly reached: string[] = [];
  readonly people: readonly AttachedPerson[];

  constructor(driven: DrivenSession, id: string) {
    this.driven = driven;
    const reached = (keys: readonly string[]) => void this.reached.push(...keys);
    this.people = [
      new AttachedPerson(driven, id, 'ann', 0x4e00, reached),
      new AttachedPerson(driven, id, 'bob', 0x5e00, reached),
    ];
  }

  async pass(ms: number): Promise<void> {
    await this.driven.settled();
    for (let leftMs = ms; leftMs > 0; leftMs -= 100) {
      vi.advanceTimersByTime(Math.min(100, leftMs));
      await this.driven.pass(Math.min(100, leftMs));
    }
    await this.driven.settled();
  }

  async perform(action: Action): Promise<void> {
    if ('types' in action) this.people[action.person]?.type(action.types);
    else if ('pastes' in action) this.people[action.person]?.paste(action.pastes);
    else if ('interrupts' in action) this.people[action.person]?.interrupt();
    else if ('size' in action) this.people[action.person]?.resize(action.size);
    else if ('loses' in action) {
      const wire = this.people[action.person]?.wire;
      if (wire === undefined) return;
      if (action.loses === 'idle') await wire.break();
      else wire.fate = action.loses;
    } else if ('other' in action) await this.#other(action.other);
    else if ('restarts' in action) {
      for (const { wire } of this.people) await wire.break(true);
      await this.driven.restart();
    } else await this.pass(action.passMs);
  }

  async #other(does: 'sends' | 'takes' | 'gives' | 'watches'): Promise<void> {
    const { coordinator, name } = this.driven;
    const size = { cols: 30, rows: 10 };
    if (does === 'takes') await coordinator.take(name, { name: 'eve', force: true });
    else if (does === 'gives') await coordinator.give(name);
    else if (does === 'sends') await ignored(coordinator.sendText(name, 'x'), 'a person types');
    else await coordinator.view(name, { kind: 'attach', size, as: 'watch' });
  }

  /** Each key has reached the program once and in its order, or its person was told after it was typed. */
  check(): void {
    for (const { typed, shown, interrupted, interrupts } of this.people) {
      expect(interrupts).toBeLessThanOrEqual(interrupted.length);
      if (interrupts < interrupted.length) {
        const after = shown.slice(Math.max(0, Math.min(...interrupted) - 1));
        expect(
          after.some((text) => tells.test(text)),
          `Ctrl+c was lost, and was shown:\n${after.join('\n---\n')}`,
        ).toBe(true);
      }
      const own = this.reached.filter((key) => typed.some((each) => each.key === key));
      expect(own).toEqual([...new Set(own)].sort());
      for (const { key, shown: before } of typed) {
        if (own.includes(key)) continue;
        const after = shown.slice(Math.max(0, before - 1));
        const isTold = after.some((text) => tells.test(text));
        expect(isTold, `${key} was lost, and was shown:\n${after.join('\n---\n')}`).toBe(true);
      }
    }
  }
}

it('[law] each key that a person types reaches the program once, or the person sees that it did not', async () => {
  const property = fc.asyncProperty(
    fc.array(action, { minLength: 5, maxLength: 25, size: 'max' }),
    async (actions) => {
      const driven = await DrivenSession.begin();
      const actors = new Actors(driven, (await driven.info()).id);
      for (const each of actions) await actors.perform(each);
      await actors.pass(5_000);
      await driven.coordinator.give(driven.name);
      await actors.pass(5_000);
      actors.check();
      // All people can type in the end.
      const before = actors.reached.length;
      for (const each of actors.people) each.type(1);
      await actors.pass(3_000);
      actors.check();
      expect(actors.reached.length).toBeGreaterThan(before);
      for (const each of actors.people) each.detach();
      await actors.pass(1_000);
      await Promise.all(actors.people.map(({ end }) => end));
      expect(driven.faults).toEqual([]);
    },
  );
  await fc.assert(property, runs(40));
});
