import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  agentDrivesMs,
  askedForMs,
  personTypesMs,
  type SessionInfo,
  type Size,
  takenForMs,
  type Viewing,
  type ViewRequest,
} from '#model';
import { runs } from '../../../test/support/run/runs.ts';
import {
  codeOf,
  DrivenSession,
  stateOf,
  windowSize,
} from '../../../test/support/session/driven-session.ts';

const windows: readonly Size[] = [
  { cols: 100, rows: 30 },
  { cols: 10, rows: 50 },
  { cols: 120, rows: 2 },
];

type Action =
  | { readonly agent: 'a' | 'b'; readonly epoch: 'none' | 'current' | 'old' }
  | { readonly agentResizes: Size }
  | { readonly person: number; readonly does: 'auto' | 'take' | 'force' | 'watch' }
  | { readonly person: number; readonly does: 'ask' | 'give' | 'leave' | 'type' }
  | { readonly person: number | null; readonly handsTo: number }
  | { readonly verb: 'take' | 'force' | 'give' | 'type' }
  | { readonly passMs: number }
  | { readonly restart: readonly boolean[] };

const person = fc.nat(2);
const action: fc.Arbitrary<Action> = fc.oneof(
  fc.record({
    agent: fc.constantFrom('a' as const, 'b' as const),
    epoch: fc.constantFrom('none' as const, 'current' as const, 'old' as const),
  }),
  fc.record({ agentResizes: fc.constantFrom({ cols: 40, rows: 10 }, { cols: 90, rows: 20 }) }),
  fc.record({
    person,
    does: fc.constantFrom('auto' as const, 'take' as const, 'force' as const, 'watch' as const),
  }),
  fc.record({
    person,
    does: fc.constantFrom('ask' as const, 'give' as const, 'leave' as const, 'type' as const),
  }),
  fc.record({ person: fc.option(person), handsTo: person }),
  fc.record({
    verb: fc.constantFrom('take' as const, 'force' as const, 'give' as const, 'type' as const),
  }),
  fc.record({ passMs: fc.constantFrom(100, 5000, 10_000, 61_000, 300_000, 600_000) }),
  fc.record({ restart: fc.tuple(fc.boolean(), fc.boolean(), fc.boolean()) }),
);

/** What people and agents do with one session. */
class Actors {
  readonly #viewings = new Map<number, Viewing>();
  #epoch = 1;
  #size: Size = windowSize;
  #takenEpoch = 0;
  readonly #driven: DrivenSession;

  constructor(driven: DrivenSession) {
    this.#driven = driven;
  }

  async perform(action: Action): Promise<void> {
    const before = await this.#driven.info();
    const isDriven = before.driver?.kind === 'person';
    if ('agent' in action) await this.#agent(action, isDriven);
    else if ('agentResizes' in action) await this.#resize(action.agentResizes, isDriven);
    else if ('handsTo' in action) await this.#hand(action.person, action.handsTo);
    else if ('person' in action) await this.#person(action.person, action.does);
    else if ('verb' in action) await this.#verb(action.verb);
    else if ('passMs' in action) await this.#driven.pass(action.passMs);
    else await this.#restart(action.restart);
    await this.#check(action, before);
  }

  async #agent({ agent, epoch }: Extract<Action, { agent: unknown }>, isDriven: boolean) {
    const epochs = {
      none: {},
      current: { driverEpoch: this.#epoch },
      old: { driverEpoch: this.#epoch - 1 },
    };
    const { coordinator, name } = this.#driven;
    const isTaken = isDriven && epoch === 'current' && this.#takenEpoch === this.#epoch;
    const sending = coordinator.sendText(name, 'x', { ...epochs[epoch], by: agent });
    const isRefused = epoch === 'old' || (isDriven && !isTaken);
    expect(await codeOf(sending)).toBe(isRefused ? 'NOT_DRIVER' : null);
    const { driver } = await this.#driven.info();
    if (!isRefused && !isDriven) expect(driver).toMatchObject({ kind: 'agent', name: agent });
  }

  async #resize(size: Size, isDriven: boolean): Promise<void> {
    const { coordinator, name } = this.#driven;
    const code = await codeOf(coordinator.resize(name, size));
    expect(code).toBe(isDriven ? 'NOT_DRIVER' : null);
  }

  /** @param number null for the verb */
  async #hand(number: number | null, receiver: number): Promise<void> {
    const to = `p${receiver}`;
    const giver = number === null ? null : this.#viewings.get(number);
    if (giver === undefined) return;
    const { coordinator, name } = this.#driven;
    const receiving = this.#viewings.get(receiver);
    const mayHand = giver === null || (await stateOf(giver))?.drives === true;
    const isThere = receiving !== undefined && receiving !== giver;
    const handing = giver === null ? coordinator.give(name, { to }) : giver.give({ to });
    expect(await codeOf(handing)).toBe(
      !mayHand ? 'NOT_DRIVER' : isThere ? null : 'INVALID_ARGUMENT',
    );
    if (!mayHand || !isThere) return;
    expect(await stateOf(receiving)).toMatchObject({ drives: true, holds: true });
    await this.#driven.pass(0);
  }

  async #person(number: number, does: Extract<Action, { does: unknown }>['does']): Promise<void> {
    const viewing = this.#viewings.get(number);
    const { coordinator, name } = this.#driven;
    if (does === 'auto' || does === 'take' || does === 'force' || does === 'watch') {
      await viewing?.dispose();
      const request = {
        name: `p${number}`,
        kind: 'attach',
        size: windows[number] ?? windowSize,
      } as const;
      this.#viewings.set(number, await coordinator.view(name, { ...request, as: does }));
    } else if (viewing === undefined) return;
    else if (does === 'ask') await viewing.take();
    else if (does === 'give') await viewing.give();
    else if (does === 'type') {
      const { driver } = await this.#driven.info();
      const isHeld = driver?.holds === true && driver.name !== `p${number}`;
      const drives = (await stateOf(viewing))?.drives === true;
      if (isHeld) expect(drives).toBe(false);
      const typed = coordinator.sendText(name, 'x', { viewer: viewing.id });
      expect(await codeOf(typed)).toBe(drives ? null : 'NOT_DRIVER');
      if (!drives) return;
      await this.#driven.pass(0);
      const { size: now } = await this.#driven.info();
      expect(now).toEqual(windowOf(number));
    } else {
      await viewing.dispose();
      this.#viewings.delete(number);
    }
  }

  async #verb(verb: Extract<Action, { verb: unknown }>['verb']): Promise<void> {
    const { coordinator, name } = this.#driven;
    if (verb === 'type') {
      const sending = coordinator.sendText(name, 'x', { driverEpoch: this.#takenEpoch });
      return expect(await codeOf(sending)).toBe(
        this.#takenEpoch === this.#epoch ? null : 'NOT_DRIVER',
      );
    }
    if (verb === 'give') return void (await coordinator.give(name));
    const force = verb === 'force';
    const isHeld = (await this.#driven.info()).driver?.holds === true;
    const taken = await coordinator.take(name, { name: 'verb', force }).catch(() => null);
    expect(taken === null).toBe(isHeld && !force);
    this.#takenEpoch = taken?.epoch ?? this.#takenEpoch;
  }

  async #restart(returns: readonly boolean[]): Promise<void> {
    const viewings = [...this.#viewings];
    this.#viewings.clear();
    await this.#driven.restart();
    for (const [number, { id }] of viewings) {
      if (returns[number] !== true) continue;
      const request = {
        name: `p${number}`,
        kind: 'attach',
        size: windows[number] ?? windowSize,
      } as const;
      const { coordinator, name } = this.#driven;
      this.#viewings.set(number, await coordinator.view(name, { ...request, id, as: 'watch' }));
    }
  }

  /** What always holds. */
  async #check(action: Action, before: SessionInfo): Promise<void> {
    const { driver, driverEpoch = 0, size: now } = await this.#driven.info();
    const [person, earlier] = [driver, before.driver].map((each) =>
      each?.kind === 'person' ? each.name : null,
    );
    const states = await Promise.all(
      [...this.#viewings].map(async ([number, viewing]) => ({
        number,
        state: await stateOf(viewing),
      })),
    );
    const holders = states.filter(({ state }) => state?.holds === true);
    expect(holders.length).toBeLessThanOrEqual(1);
    for (const { number, state } of holders) {
      expect(driver).toMatchObject({ name: `p${number}`, holds: true });
      expect(state?.driver?.epoch).toBe(driverEpoch);
    }
    const isPersons = 'person' in action && !('does' in action && action.does === 'leave');
    const isHanded = person !== null && person !== earlier;
    if (!isPersons && !isHanded && !('agentResizes' in action)) expect(now).toEqual(this.#size);
    this.#size = now;
    expect(driverEpoch).toBeGreaterThanOrEqual(this.#epoch);
    if (isHanded) expect(driverEpoch).toBeGreaterThan(this.#epoch);
    if ('agent' in action || 'agentResizes' in action) expect(driverEpoch).toBe(this.#epoch);
    this.#epoch = driverEpoch;
  }
}

const windowOf = (number: number): Size => {
  const { cols, rows } = windows[number] ?? windowSize;
  return { cols: Math.max(20, cols), rows: Math.max(5, rows) };
};

describe('the driver of a session', () => {
  it('[law] one person at most holds it, all others type; agents wait for people; the size is that of the last who typed', async () => {
    const property = fc.asyncProperty(
      fc.array(action, { minLength: 5, maxLength: 20, size: 'max' }),
      async (actions) => {
        const driven = await DrivenSession.begin();
        const actors = new Actors(driven);
        for (const each of actions) await actors.perform(each);
        // However it ends, an hour later nobody drives.
        await actors.perform({ restart: [false, false, false] });
        for (let hour = 0; hour < 6; hour++) await driven.pass(takenForMs);
        expect(await driven.info()).not.toHaveProperty('driver');
        expect(driven.faults).toEqual([]);
      },
    );
    await fc.assert(property, runs(60));
  });

  it('is an agent for 10 s after its last input, of which viewers are told', async () => {
    const { driven, viewing } = await DrivenSession.withViewer('watch');
    const { coordinator, name } = driven;
    await coordinator.sendText(name, 'x');
    const { sinceMs } = (await driven.info()).driver ?? {};
    await driven.pass(agentDrivesMs - 1);
    await coordinator.sendText(name, 'x');
    expect((await driven.info()).driver).toMatchObject({ kind: 'agent', sinceMs });
    await driven.pass(agentDrivesMs - 1);
    expect(await stateOf(viewing)).toMatchObject({ driver: { kind: 'agent', name: 'agent' } });
    await driven.pass(1);
    expect(await stateOf(viewing)).toMatchObject({ driver: null, drives: false, epoch: 1 });
    expect(await driven.info()).not.toHaveProperty('driver');
    await viewing.dispose();
    expect(driven.time.pending).toBe(0);
  });

  it('is told as no longer an agent to a viewer who came after its last input, too', async () => {
    const driven = await DrivenSession.begin();
    await driven.coordinator.sendText(driven.name, 'x');
    const viewing = await driven.join('ann', 'watch');
    expect(await stateOf(viewing)).toMatchObject({ driver: { kind: 'agent' } });
    await driven.pass(agentDrivesMs);
    expect(await stateOf(viewing)).toMatchObject({ driver: null });
  });

  it('holds back nobody because a person has come', async () => {
    const { driven, viewing } = await DrivenSession.withViewer();
    expect(await stateOf(viewing)).toMatchObject({ drives: true, driver: null, epoch: 1 });
    expect(await codeOf(driven.coordinator.sendText(driven.name, 'x'))).toBe(null);
  });

  it('lets each person type, whatever agents and other viewers did, and agents 5 s later', async () => {
    const { driven, viewing: alice } = await DrivenSession.withViewer();
    const { coordinator, name } = driven;
    const agent = () => codeOf(coordinator.sendText(name, 'x'));
    const bob = await driven.join('bob');
    for (const viewing of [alice, bob, alice]) {
      expect(await agent()).toBe(null);
      expect(await codeOf(driven.type(viewing))).toBe(null);
      expect(await agent()).toBe('NOT_DRIVER');
      await driven.pass(personTypesMs - 1);
      expect(await agent()).toBe('NOT_DRIVER');
      await driven.pass(1);
    }
    await driven.pass(takenForMs);
    await bob.dispose();
    expect(await codeOf(driven.type(alice))).toBe(null);
  });

  it('tells an agent with the epoch and the mark that a person has typed since', async () => {
    const { driven, viewing } = await DrivenSession.withViewer();
    const { coordinator, name } = driven;
    const { driverEpoch } = await coordinator.sendText(name, 'x');
    await driven.type(viewing);
    await driven.pass(personTypesMs);
    const sending = coordinator.sendText(name, 'x', { driverEpoch: driverEpoch ?? 1 });
    await expect(sending).rejects.toMatchObject({
      code: 'NOT_DRIVER',
      message: expect.stringContaining('a person has typed since epoch 1'),
      details: { epoch: 2, mark: expect.any(String) },
    });
  });

  it('holds off other persons, and not the same one in another terminal', async () => {
    const { driven, viewing: alice } = await DrivenSession.withViewer('take');
    const [second, bob] = [await driven.join('alice'), await driven.join('bob')];
    expect(await codeOf(driven.type(bob))).toBe('NOT_DRIVER');
    expect(await stateOf(bob)).toMatchObject({ drives: false, driver: { name: 'alice' } });
    expect(await codeOf(driven.type(second))).toBe(null);
    expect(await stateOf(second)).toMatchObject({ drives: true, holds: true });
    expect(await stateOf(alice)).not.toHaveProperty('holds');
    await second.give();
    expect(await codeOf(driven.type(bob))).toBe(null);
  });

  it('goes back to the person from whom it was taken by force, if that one is still there', async () => {
    const { driven, viewing: alice } = await DrivenSession.withViewer('take');
    const bob = await driven.join('bob');
    await bob.take({ force: true });
    expect(await stateOf(bob)).toMatchObject({ holds: true });
    await bob.give({ note: 'merged' });
    expect(await stateOf(alice)).toMatchObject({ drives: true, holds: true });
    // Given back by the one who had it first, it is nobody's.
    await alice.give();
    expect(await stateOf(alice)).not.toHaveProperty('holds');
    await alice.take();
    await bob.take({ force: true });
    await alice.dispose();
    await bob.give();
    expect(await stateOf(bob)).toMatchObject({ driver: null });
  });

  it('does not go back by itself: when the one who took it leaves, or has not typed for long', async () => {
    const { driven, viewing: alice } = await DrivenSession.withViewer('take');
    const bob = await driven.join('bob');
    await bob.take({ force: true });
    await bob.dispose();
    expect(await stateOf(alice)).not.toHaveProperty('holds');
    await alice.take();
    const carol = await driven.join('carol');
    await carol.take({ force: true });
    await driven.pass(takenForMs);
    expect(await stateOf(alice)).toMatchObject({ driver: null });
  });

  it('keeps the size of the last who typed when that one leaves', async () => {
    const { driven, viewing: alice } = await DrivenSession.withViewer();
    const wide = { cols: 120, rows: 40 };
    const view = { name: 'bob', kind: 'attach', size: wide } as const;
    const bob = await driven.coordinator.view(driven.name, view);
    expect((await driven.info()).size).toEqual(windowSize);
    await driven.type(bob);
    await driven.pass(0);
    expect((await driven.info()).size).toEqual(wide);
    await bob.dispose();
    expect((await driven.info()).size).toEqual(wide);
    await driven.type(alice);
    await driven.pass(0);
    expect((await driven.info()).size).toEqual(windowSize);
  });

  it('gives the session the size of the smallest window that may type, or of none, if that is asked', async () => {
    const driven = await DrivenSession.begin();
    const { name } = driven;
    const sizeNow = async () => {
      await driven.pass(0);
      const { cols, rows } = (await driven.info()).size;
      return `${cols}x${rows}`;
    };
    const view = (person: string, cols: number, rows: number, more: Partial<ViewRequest> = {}) =>
      driven.coordinator.view(name, {
        name: person,
        kind: 'attach',
        size: { cols, rows },
        ...more,
      });
    const alice = await view('alice', 100, 30, { sizing: 'smallest' });
    expect(await sizeNow()).toBe('100x30');
    const bob = await view('bob', 90, 40);
    await view('carol', 30, 10, { as: 'watch' });
    await driven.type(alice);
    expect(await sizeNow()).toBe('90x30');
    await alice.resize({ cols: 85, rows: 50 });
    expect(await sizeNow()).toBe('85x40');
    await alice.dispose();
    expect(await sizeNow()).toBe('90x40');
    await bob.dispose();
    expect(await sizeNow()).toBe('90x40');
    const dave = await view('dave', 60, 20, { sizing: 'manual' });
    await driven.type(dave);
    await dave.resize({ cols: 61, rows: 21 });
    expect(await sizeNow()).toBe('90x40');
    await driven.coordinator.resize(name, { cols: 70, rows: 22 }, { viewer: dave.id });
    expect(await sizeNow()).toBe('70x22');
    await driven.restart();
    expect(await driven.info()).toMatchObject({ sizing: 'manual' });
    const eve = await view('eve', 50, 15, { sizing: 'latest' });
    await driven.type(eve);
    expect(await sizeNow()).toBe('50x15');
    expect(await driven.info()).not.toHaveProperty('sizing');
  });

  it('is a person with a take until 10 minutes without input, of which it learns one minute before', async () => {
    const { driven, viewing } = await DrivenSession.withViewer('take');
    await driven.pass(takenForMs / 2);
    await driven.type(viewing);
    const endsMs = driven.time.wallMs() + takenForMs;
    const states = viewing[Symbol.asyncIterator]();
    await states.next();
    const notice = states.next();
    await driven.pass(takenForMs - 60_001);
    expect(await Promise.race([notice, 'none'])).toBe('none');
    await driven.pass(1);
    expect((await notice).value).toMatchObject({ drives: true, driver: { untilMs: endsMs } });
    await driven.pass(59_999);
    expect(await stateOf(viewing)).toMatchObject({ holds: true, epoch: 2 });
    await driven.pass(1);
    expect(await stateOf(viewing)).toMatchObject({ drives: true, driver: null, epoch: 3 });
    expect(await stateOf(viewing)).not.toHaveProperty('holds');
  });

  it('changes to the person who asks, after 10 s without input of the other', async () => {
    const { driven, viewing: alice } = await DrivenSession.withViewer('take');
    await driven.pass(askedForMs);
    const bob = await driven.join('bob', 'take');
    expect(await stateOf(alice)).toMatchObject({ drives: true, askedBy: 'bob' });
    await driven.pass(askedForMs - 1);
    await driven.type(alice);
    await driven.pass(askedForMs - 1);
    expect(await stateOf(bob)).toMatchObject({ drives: false, epoch: 2 });
    await driven.pass(1);
    expect(await stateOf(bob)).toMatchObject({ drives: true, epoch: 3 });
    expect(await stateOf(alice)).toMatchObject({ drives: false, driver: { name: 'bob' } });
    expect(await stateOf(alice)).not.toHaveProperty('askedBy');
  });

  it('has a name of its own for each viewer, and shows why somebody took over', async () => {
    const { driven, viewing: first } = await DrivenSession.withViewer('watch');
    const second = await driven.join('alice', 'watch');
    const names = async () => (await stateOf(first))?.viewers.map((viewer) => viewer.name);
    expect(await names()).toEqual(['alice', 'alice (2)']);
    await second.take();
    expect(await stateOf(first)).toMatchObject({ driver: { name: 'alice (2)' } });
    await second.dispose();
    await driven.join('alice', 'watch');
    expect(await names()).toEqual(['alice', 'alice (2)']);
    await driven.coordinator.take(driven.name, { name: 'bob', note: 'on call' });
    expect(await stateOf(first)).toMatchObject({ driver: { name: 'bob' }, note: 'on call' });
    await driven.coordinator.give(driven.name, {});
    expect(await stateOf(first)).not.toHaveProperty('note');
  });

  it('is kept for 60 s after its coordinator was killed, and continues with its viewing', async () => {
    const { driven, viewing } = await DrivenSession.withViewer('take');
    const { id } = viewing;
    const { driver } = await driven.info();
    await driven.restart();
    expect((await driven.info()).driver).toEqual(driver);
    expect(await codeOf(driven.coordinator.sendText(driven.name, 'x'))).toBe('NOT_DRIVER');
    await driven.pass(59_999);
    const again = await driven.coordinator.view(driven.name, {
      name: 'alice',
      kind: 'web',
      size: windowSize,
      id,
    });
    expect(await stateOf(again)).toMatchObject({
      drives: true,
      epoch: 2,
      driver: { name: 'alice' },
    });
    await driven.pass(60_000);
    expect(await codeOf(driven.type(again))).toBe(null);
    await driven.restart();
    await driven.pass(59_999);
    expect(await driven.info()).toHaveProperty('driver');
    await driven.pass(1);
    expect(await driven.info()).not.toHaveProperty('driver');
    expect((await driven.info()).driverEpoch).toBe(3);
  });

  it('refuses input of an old epoch with the mark before the first person since', async () => {
    const driven = await DrivenSession.begin();
    const { coordinator, name } = driven;
    const marks = [];
    for (const person of ['alice', 'bob']) {
      await coordinator.take(name, { name: person, force: true });
      marks.push((await coordinator.take(name, { name: person, force: true })).mark);
    }
    await coordinator.give(name, { note: 'over to you' });
    const refused = coordinator.sendText(name, 'x', { driverEpoch: 2 });
    await expect(refused).rejects.toMatchObject({
      code: 'NOT_DRIVER',
      details: { epoch: 6, mark: marks[0], note: 'over to you' },
      message: expect.stringMatching(/since epoch 2 \(note: over to you\); .* the epoch is 6$/),
    });
    await coordinator.sendText(name, 'x', { driverEpoch: 6 });
  });

  it('refuses an epoch that was never there as an invalid argument', async () => {
    const { coordinator, name } = await DrivenSession.begin();
    const unknown = {
      code: 'INVALID_ARGUMENT',
      message: expect.stringContaining('epoch 99 is not known: the epoch is 1'),
      details: { name, epoch: 1 },
    };
    const sending = coordinator.sendText(name, 'x', { driverEpoch: 99 });
    await expect(sending).rejects.toMatchObject(unknown);
    await expect(coordinator.give(name, { epoch: 99 })).rejects.toMatchObject(unknown);
  });

  it.each([
    [{ name: ' a\u001b[31m\nb\u202e ' }, 'a[31m b'],
    [{ name: 'x'.repeat(100) }, 'x'.repeat(64)],
    [{ name: ' ' }, 'person'],
  ])('shows a name as one short line (%#)', async (request, shown) => {
    const driven = await DrivenSession.begin();
    const { driver } = await driven.coordinator.take(driven.name, request);
    expect(driver?.name).toBe(shown);
  });
});
