import { describe, expect, it } from 'vitest';
import type { CoordinatorFixture } from '../coordinator.ts';

export function labelsContract(fixture: CoordinatorFixture): void {
  describe('labels', () => {
    it('are set by spawn and publish, and listed', async () => {
      const { coordinator, driver } = fixture;
      const labels = { team: 'web', 'ci/job': 'a b=c' };
      const spawned = await driver.spawn({ name: 'a', program: 'cat', labels });
      expect(spawned.labels).toEqual(labels);
      const publication = await coordinator.publish({ name: 'b', by: 'test', labels });
      expect(publication.session.labels).toEqual(labels);
      const plain = await driver.spawn({ name: 'c', program: 'cat', labels: {} });
      expect(plain).not.toHaveProperty('labels');
      const listed = await coordinator.list();
      expect(listed.map((each) => each.labels)).toEqual([labels, labels, undefined]);
      await publication.close();
    });

    it('are set and removed one by one', async () => {
      const { coordinator, driver } = fixture;
      const session = await driver.spawn({ program: 'cat', labels: { a: '1', b: '2' } });
      const changed = await coordinator.setLabels(session, { a: null, c: '3', missing: null });
      expect(changed.labels).toEqual({ b: '2', c: '3' });
      expect((await coordinator.info(session)).labels).toEqual({ b: '2', c: '3' });
      const without = await coordinator.setLabels(session, { b: null, c: null });
      expect(without).not.toHaveProperty('labels');
    });

    it.each([
      ['an empty key', { '': 'x' }],
      ['a key with a space', { 'a b': 'x' }],
      ['a key with an equals sign', { 'a=b': 'x' }],
      ['a key that begins with an underscore', JSON.parse('{"__proto__": "x"}')],
      ['a long key', { ['k'.repeat(64)]: 'x' }],
      ['an empty value', { a: '' }],
      ['a value with a line feed', { a: 'x\ny' }],
      ['a value with an escape sequence', { a: 'x\x1b[31m' }],
      ['a long value', { a: 'x'.repeat(257) }],
      ['33 labels', Object.fromEntries(Array.from({ length: 33 }, (_, n) => [`k${n}`, 'x']))],
    ])('refuse %s', async (_title, labels) => {
      const { coordinator, driver } = fixture;
      const refused = { code: 'INVALID_ARGUMENT' };
      await expect(coordinator.spawn({ program: 'cat', labels })).rejects.toMatchObject(refused);
      const publishing = coordinator.publish({ by: 'test', labels });
      await expect(publishing).rejects.toMatchObject(refused);
      const session = await driver.spawn({ program: 'cat', labels: { kept: 'x' } });
      await expect(coordinator.setLabels(session, labels)).rejects.toMatchObject({
        code: 'INVALID_ARGUMENT',
        message: expect.stringMatching(`^session ${session.name}: .*label`),
      });
      expect((await coordinator.info(session)).labels).toEqual({ kept: 'x' });
    });

    it('are limited over several changes', async () => {
      const { coordinator, driver } = fixture;
      const labels = Object.fromEntries(Array.from({ length: 32 }, (_, n) => [`k${n}`, 'x']));
      const session = await driver.spawn({ program: 'cat', labels });
      const refused = coordinator.setLabels(session, { one: 'more' });
      await expect(refused).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
      await coordinator.setLabels(session, { one: 'more', k0: null });
    });
  });
}
