import { describe, expect, it } from 'vitest';
import {
  codeOf,
  DrivenSession,
  stateOf,
  windowSize,
} from '../../../test/support/session/driven-session.ts';

describe('a session', () => {
  it('is handed to another person by name, who drives at once, in the size of that window', async () => {
    const { driven, viewing: alice } = await DrivenSession.withViewer('take');
    const { coordinator, name } = driven;
    const wide = { cols: 120, rows: 40 };
    const bob = await coordinator.view(name, { name: 'bob', kind: 'web', size: wide, as: 'watch' });
    expect(await stateOf(bob)).toMatchObject({
      name: 'bob',
      drives: false,
      viewers: [{ name: 'alice' }, { name: 'bob', watches: true }],
    });
    await alice.give({ to: 'bob', note: 'your turn' });
    expect(await stateOf(bob)).toMatchObject({
      drives: true,
      holds: true,
      note: 'your turn',
      driver: { name: 'bob', handedBy: 'alice' },
    });
    expect((await stateOf(bob))?.viewers[1]).not.toHaveProperty('watches');
    await driven.pass(0);
    expect((await driven.info()).size).toEqual(wide);
    expect(await codeOf(driven.type(bob))).toBe(null);
    // It is told for as long as bob holds it, also after the daemon was replaced.
    await driven.restart();
    const again = await driven.coordinator.view(name, {
      name: 'bob',
      kind: 'web',
      size: wide,
      as: 'watch',
      id: bob.id,
    });
    expect(await stateOf(again)).toMatchObject({ holds: true, driver: { handedBy: 'alice' } });
    await expect(driven.coordinator.sendText(name, 'x')).rejects.toMatchObject({
      message: expect.stringContaining('bob has held it for 0ms (note: your turn)'),
    });
    await again.give();
    expect(await stateOf(again)).toMatchObject({ driver: null });
    expect(await stateOf(again)).not.toHaveProperty('note');
  });

  it('is handed over by who types, and by a command while nobody drives; not by who watches', async () => {
    const { driven, viewing: alice } = await DrivenSession.withViewer();
    const bob = await driven.join('bob', 'watch');
    expect(await codeOf(bob.give({ to: 'alice' }))).toBe('NOT_DRIVER');
    await alice.give({ to: 'bob' });
    expect(await codeOf(alice.give({ to: 'alice' }))).toBe('NOT_DRIVER');
    await bob.give();
    const { driver } = await driven.coordinator.give(driven.name, { to: 'alice', name: 'carol' });
    expect(driver).toMatchObject({ name: 'alice', handedBy: 'carol', holds: true });
    // To the one who holds it, nothing changes.
    expect(await driven.coordinator.give(driven.name, { to: 'alice' })).toMatchObject({ driver });
  });

  it('goes back to the first holder after it was taken by force and handed on', async () => {
    const { driven, viewing: alice } = await DrivenSession.withViewer('take');
    const [bob, carol] = [await driven.join('bob'), await driven.join('carol')];
    await bob.take({ force: true });
    await bob.give({ to: 'carol' });
    await carol.give({ note: 'done' });
    expect(await stateOf(alice)).toMatchObject({
      holds: true,
      note: 'done',
      driver: { handedBy: 'carol' },
    });
    await bob.take({ force: true });
    await bob.give({ to: 'alice' });
    await alice.give();
    expect(await stateOf(alice)).toMatchObject({ driver: null });
  });

  it.each([
    ['ann', 'ann'],
    ['ANN (2)', 'ann (2)'],
    ['bo', 'bo (2)'],
    ['cy', 'visitor cy'],
  ])('is handed to %s, who is %s', async (to, receiver) => {
    const { driven, viewing } = await DrivenSession.withViewer('take', 'dee');
    await driven.join('ann', 'watch');
    await driven.join('ann', 'watch');
    const first = await driven.join('bo', 'watch');
    await driven.join('bo', 'watch');
    await first.dispose();
    await driven.join('visitor cy', 'watch');
    await viewing.give({ to });
    expect((await driven.info()).driver).toMatchObject({ name: receiver });
  });

  it('is handed to nobody who is not there, is meant with others or can only watch', async () => {
    const { driven, viewing } = await DrivenSession.withViewer('take', 'dee');
    const { coordinator, name } = driven;
    await expect(viewing.give({ to: 'bob' })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: 'session one: nobody who views it is called "bob"; nobody else is here',
    });
    const first = await driven.join('ann', 'watch');
    await driven.join('ann', 'watch');
    await driven.join('ann', 'watch');
    await first.dispose();
    await expect(viewing.give({ to: 'ann' })).rejects.toMatchObject({
      message:
        'session one: several viewers can be meant by "ann": ann (2) (in a terminal for 0ms), ann (3) (in a terminal for 0ms); give one of these names',
      details: { to: 'ann', viewers: ['ann (2)', 'ann (3)'] },
    });
    const view = { name: 'visitor', kind: 'web', size: windowSize, readOnly: true } as const;
    const visitor = await coordinator.view(name, view);
    await expect(viewing.give({ to: 'visitor' })).rejects.toMatchObject({
      message: expect.stringMatching(
        /^session one: visitor can only watch; here are: .*, visitor \(on the page for 0ms, can only watch\)$/,
      ),
    });
    expect(await codeOf(visitor.take({ force: true }))).toBe('NOT_DRIVER');
    expect(await codeOf(driven.type(visitor))).toBe('NOT_DRIVER');
    expect(await stateOf(viewing)).toMatchObject({ holds: true, epoch: 2 });
  });

  it('tells who gave it its size: the last who typed, or the sender of a resize', async () => {
    const { driven, viewing: alice } = await DrivenSession.withViewer('watch');
    const { coordinator, name } = driven;
    const sizer = async () => (await stateOf(alice))?.sizedBy;
    expect(await sizer()).toBe(undefined);
    await coordinator.resize(name, { cols: 60, rows: 10 }, { by: 'codex' });
    expect(await sizer()).toEqual({ name: 'codex', cols: 60, rows: 10 });
    const wide = { cols: 120, rows: 40 };
    const bob = await coordinator.view(name, { name: 'bob', kind: 'web', size: wide });
    await driven.type(bob);
    expect(await sizer()).toEqual({ name: 'bob', ...wide });
    // Bob gives it back the size that codex gave it.
    await coordinator.resize(name, { cols: 60, rows: 10 }, { viewer: bob.id });
    expect(await sizer()).toEqual({ name: 'codex', cols: 60, rows: 10 });
    await bob.dispose();
    await driven.restart();
    const again = await driven.join('alice', 'watch');
    expect((await stateOf(again))?.sizedBy).toEqual({ name: 'codex', cols: 60, rows: 10 });
  });

  it('does not tell who gave it the size with which it began', async () => {
    const { driven, viewing: alice } = await DrivenSession.withViewer('watch');
    const { coordinator, name } = driven;
    const { size } = await driven.info();
    const view = { name: 'bob', kind: 'web', size: { cols: 120, rows: 40 } } as const;
    const bob = await coordinator.view(name, view);
    await driven.pass(0);
    await coordinator.resize(name, size, { viewer: bob.id });
    expect(await stateOf(alice)).not.toHaveProperty('sizedBy');
  });
});
