import { describe, expect, it } from 'vitest';
import type { DriverState, Viewing, ViewingState, ViewRequest } from '#model';
import type { CoordinatorFixture } from '../coordinator.ts';

const window = { cols: 100, rows: 30 };

/** Reads the states of a viewing until one fulfils a condition. */
async function until(
  viewing: Viewing,
  isMet: (state: ViewingState) => boolean,
): Promise<ViewingState> {
  for await (const state of viewing) if (isMet(state)) return state;
  throw new Error('the viewing has ended');
}

const drives = ({ drives: isDriving }: ViewingState) => isDriving;
const watches = ({ drives: isDriving }: ViewingState) => !isDriving;

export function drivingContract(fixture: CoordinatorFixture): void {
  const cat = () => fixture.driver.ready('stty -echo; echo ready; exec cat');
  const view = (session: string, name: string, more: Partial<ViewRequest> = {}) =>
    fixture.coordinator.view(session, { name, kind: 'attach', size: window, ...more });
  const refusal = (call: Promise<unknown>) =>
    call.then(
      () => ({ code: 'none', details: {} }),
      ({ code, details }) => ({ code, details }),
    );

  describe('the driver', () => {
    it('is an agent who typed last, and agents refuse nobody', async () => {
      const { coordinator } = fixture;
      const { name } = await cat();
      expect(await coordinator.info(name)).toMatchObject({ driverEpoch: 1 });
      expect(await coordinator.info(name)).not.toHaveProperty('driver');
      const { driverEpoch } = await coordinator.sendText(name, 'one\n', { by: 'first' });
      expect(driverEpoch).toBe(1);
      const { driver } = await coordinator.info(name);
      expect(driver).toMatchObject({ kind: 'agent', name: 'first', epoch: 1 });
      expect((driver?.untilMs ?? 0) - (driver?.sinceMs ?? 0)).toBeGreaterThan(9_900);
      await coordinator.sendKeys(name, ['enter'], { by: 'second', driverEpoch: 1 });
      expect((await coordinator.list())[0]?.driver).toMatchObject({ name: 'second', epoch: 1 });
      await expect(coordinator.sendKeys(name, ['no such key'], { by: 'third' })).rejects.toThrow();
      expect((await coordinator.info(name)).driver).toMatchObject({ name: 'second' });
    });

    it('may see a session without looking at it', async () => {
      const { coordinator } = fixture;
      const { name } = await cat();
      const viewing = await view(name, 'ann', { looking: false });
      const viewer = async () => (await coordinator.info(name)).viewers?.[0];
      expect(await viewer()).toMatchObject({ name: 'ann', away: true });
      await viewing.look(true);
      expect(await viewer()).not.toHaveProperty('away');
      await viewing.look(false);
      expect(await viewer()).toMatchObject({ name: 'ann', away: true });
      await viewing.dispose();
    });

    it('is a person after `take`: only input with the epoch is accepted until `give`', async () => {
      const { coordinator, driver } = fixture;
      const { name } = await cat();
      const { driverEpoch } = await coordinator.sendText(name, 'agent\n');
      await driver.untilShown(name, /agent/);
      const taken = await coordinator.take(name, { name: 'alice', note: 'for a minute' });
      expect(taken).toMatchObject({
        epoch: 2,
        driver: { kind: 'person', name: 'alice', epoch: 2 },
      });
      const refused = {
        code: 'NOT_DRIVER',
        details: { driver: 'alice', epoch: 2, note: 'for a minute', sinceMs: expect.any(Number) },
      };
      const calls = [
        () => coordinator.sendText(name, 'lost\n'),
        () => coordinator.sendKeys(name, ['enter'], { driverEpoch: 1 }),
        () => coordinator.sendBytes(name, new Uint8Array([10]), { viewer: 'none' }),
        () => coordinator.run(name, { line: 'echo' }),
        () => coordinator.take(name, { name: 'bob' }),
        () => coordinator.give(name, { epoch: 1 }),
        () => coordinator.resize(name, window),
      ];
      for (const call of calls) expect(await refusal(call())).toMatchObject(refused);
      await coordinator.sendText(name, 'mine\n', { driverEpoch: 2 });
      await driver.untilShown(name, /mine/);
      const state = await coordinator.give(name, { note: 'look at the log' });
      expect(state).toMatchObject({ driver: null, epoch: 3, note: 'look at the log' });
      const old = await refusal(
        coordinator.sendText(name, 'x\n', { driverEpoch: driverEpoch ?? 0 }),
      );
      const { mark } = old.details as DriverState;
      expect(old).toMatchObject({
        code: 'NOT_DRIVER',
        details: { epoch: 3, note: 'look at the log', mark: taken.mark },
      });
      expect((await coordinator.read(name, { since: mark ?? '' })).text.tail).toBe('mine');
      await coordinator.sendText(name, 'again\n', { driverEpoch: 3 });
      await coordinator.sendText(name, 'without\n');
      await driver.untilShown(name, /again\nwithout/);
      expect(await driver.text(name)).not.toMatch(/lost|x/);
    });

    it('is taken by force from another person, and the session can be ended meanwhile', async () => {
      const { coordinator } = fixture;
      const { name } = await cat();
      await coordinator.take(name, { name: 'alice' });
      const { driver, epoch } = await coordinator.take(name, { name: 'bob', force: true });
      expect({ name: driver?.name, epoch }).toEqual({ name: 'bob', epoch: 3 });
      await coordinator.kill(name, 'KILL');
      await fixture.driver.exitOf(name);
      const info = await coordinator.info(name);
      expect(info).not.toHaveProperty('driver');
      expect(info.driverEpoch).toBe(4);
      expect(await refusal(coordinator.take(name))).toMatchObject({ code: 'SESSION_NOT_RUNNING' });
      const revived = await coordinator.revive(name);
      expect(revived.driverEpoch).toBe(4);
      await coordinator.remove(revived);
    });

    it('is waited for', async () => {
      const { coordinator } = fixture;
      const { name } = await cat();
      expect(await coordinator.wait(name, { driver: true })).toMatchObject({
        outcome: 'driver',
        driver: { driver: null, epoch: 1 },
      });
      await coordinator.take(name);
      expect(await coordinator.wait(name, { driver: true, timeoutMs: 0 })).toMatchObject({
        outcome: 'timed_out',
      });
      const waiting = coordinator.wait(name, { driver: true });
      await coordinator.give(name, { note: 'done' });
      const { outcome, driver } = await waiting;
      expect({ outcome, ...driver }).toMatchObject({ outcome: 'driver', epoch: 3, note: 'done' });
      expect(driver?.mark).toEqual(expect.any(String));
    });
  });

  describe('view', () => {
    it('types with the size of its window, which stays; agents wait meanwhile', async () => {
      const { coordinator, driver } = fixture;
      const { name } = await cat();
      const viewing = await view(name, 'alice');
      expect(await until(viewing, drives)).toMatchObject({
        driver: null,
        epoch: 1,
        viewers: [{ name: 'alice', kind: 'attach', size: window }],
      });
      expect(await coordinator.info(name)).toMatchObject({
        size: window,
        viewers: [{ name: 'alice', kind: 'attach', size: window, sinceMs: expect.any(Number) }],
      });
      await coordinator.sendText(name, 'typed\n', { viewer: viewing.id });
      await driver.untilShown(name, /typed/);
      expect(await until(viewing, ({ epoch }) => epoch === 2)).toMatchObject({
        driver: { kind: 'person', name: 'alice' },
        drives: true,
      });
      expect(await refusal(coordinator.sendText(name, 'no\n', { driverEpoch: 2 }))).toMatchObject({
        code: 'NOT_DRIVER',
      });
      await viewing.resize({ cols: 10, rows: 40 });
      expect((await coordinator.info(name)).size).toEqual({ cols: 20, rows: 40 });
      await viewing.dispose();
      const info = await coordinator.info(name);
      expect(info).toMatchObject({ size: { cols: 20, rows: 40 }, driverEpoch: 2 });
      expect(Object.keys(info)).not.toContain('viewers');
      expect(await refusal(coordinator.sendText(name, 'x', { viewer: viewing.id }))).toMatchObject({
        code: 'NOT_DRIVER',
      });
      await coordinator.sendText(name, 'agent\n', { driverEpoch: 2 });
    });

    it('types while an agent does, holds the session, and gives back with a note', async () => {
      const { coordinator } = fixture;
      const { name } = await cat();
      await coordinator.sendText(name, 'agent\n', { by: 'claude' });
      const viewing = await view(name, 'alice');
      expect(await until(viewing, drives)).toMatchObject({ driver: { name: 'claude' }, epoch: 1 });
      const size = { cols: 50, rows: 20 };
      await viewing.resize(size);
      expect((await coordinator.info(name)).size).toEqual(size);
      await coordinator.sendText(name, 'x', { viewer: viewing.id });
      await viewing.take();
      const holds = ({ holds: isHolding }: ViewingState) => isHolding === true;
      expect(await until(viewing, holds)).toMatchObject({
        epoch: 3,
        driver: { name: 'alice', holds: true },
      });
      expect(await refusal(coordinator.sendText(name, 'x'))).toMatchObject({ code: 'NOT_DRIVER' });
      await viewing.give({ note: 'yours' });
      expect(await until(viewing, ({ epoch }) => epoch === 4)).toMatchObject({
        note: 'yours',
        driver: null,
        drives: true,
      });
      await viewing.dispose();
      expect((await coordinator.info(name)).size).toEqual(size);
    });

    it('asks another person, who grants it by giving back, or is overruled by force', async () => {
      const { coordinator } = fixture;
      const { name } = await cat();
      const alice = await view(name, 'alice', { as: 'take' });
      const bob = await view(name, 'bob', { as: 'take', size: { cols: 60, rows: 20 } });
      await until(alice, ({ askedBy }) => askedBy === 'bob');
      const typed = coordinator.sendText(name, 'x', { viewer: bob.id });
      expect(await refusal(typed)).toMatchObject({ code: 'NOT_DRIVER' });
      await alice.give();
      expect(await until(bob, drives)).toMatchObject({ epoch: 3, driver: { name: 'bob' } });
      expect((await coordinator.info(name)).size).toEqual({ cols: 60, rows: 20 });
      await alice.take({ force: true });
      expect(await until(bob, watches)).toMatchObject({ epoch: 4, driver: { name: 'alice' } });
      await alice.dispose();
      expect(await until(bob, ({ driver }) => driver === null)).toMatchObject({ epoch: 5 });
      expect((await coordinator.info(name)).size).toEqual(window);
      await bob.dispose();
    });

    describe('tells a program with reports of focus', () => {
      const reports = 'stty raw -echo; printf "\\033[?1004hready\\r\\n"; exec cat -v';
      const shown = (session: string, text: string) =>
        fixture.driver.untilShown(session, new RegExp(`^\\s*ready\\s+${text}$`));
      const comes = '\\^\\[\\[I';
      const leaves = '\\^\\[\\[O';

      it('that nobody is there, when the first person comes, and when the last one leaves', async () => {
        const { name } = await fixture.driver.ready(reports);
        await shown(name, leaves);
        const alice = await view(name, 'alice');
        await shown(name, leaves + comes);
        const bob = await view(name, 'bob');
        await alice.dispose();
        await fixture.coordinator.sendText(name, 'x');
        await shown(name, `${leaves + comes}x`);
        await bob.dispose();
        await shown(name, `${leaves + comes}x${leaves}`);
        const again = await view(name, 'alice', { as: 'take' });
        await shown(name, `${leaves + comes}x${leaves + comes}`);
        await again.give();
        await again.dispose();
        await shown(name, `${leaves + comes}x${leaves + comes + leaves}`);
      });

      it('nothing of one who only watches until he takes it, and nothing of a reply', async () => {
        const { coordinator } = fixture;
        const { name } = await fixture.driver.ready(reports);
        await shown(name, leaves);
        const watcher = await view(name, 'alice', { as: 'watch' });
        await (await view(name, 'bob', { kind: 'ui', as: 'take' })).dispose();
        await coordinator.sendText(name, 'x');
        await shown(name, `${leaves}x`);
        await watcher.take();
        await shown(name, `${leaves}x${comes}`);
        await watcher.dispose();
        await shown(name, `${leaves}x${comes + leaves}`);
      });

      it('only if it has asked', async () => {
        const { name } = await fixture.driver.ready('stty raw -echo; echo ready; exec cat -v');
        const viewing = await view(name, 'alice');
        await viewing.dispose();
        await fixture.coordinator.sendText(name, 'x');
        await shown(name, 'x');
      });
    });

    it('only watches a published or ended session, and ends with its session', async () => {
      const { coordinator } = fixture;
      const { name } = await fixture.driver.sh('exit 0');
      await fixture.driver.exitOf(name);
      const viewing = await view(name, 'alice', { as: 'force' });
      await until(viewing, watches);
      expect(await refusal(viewing.take())).toMatchObject({ code: 'SESSION_NOT_RUNNING' });
      await coordinator.remove(name);
      await expect(until(viewing, drives)).rejects.toThrow('the viewing has ended');
      const publication = await coordinator.publish({ name: 'shown', by: 'x', program: 'make' });
      const other = await view('shown', 'alice', { as: 'take' });
      await until(other, watches);
      expect(await refusal(other.take())).toMatchObject({ code: 'SESSION_READ_ONLY' });
      await publication.close();
    });
  });
}
