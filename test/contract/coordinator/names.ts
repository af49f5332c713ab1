import { describe, expect, it } from 'vitest';
import type { Coordinator, SessionRef } from '#model';
import type { CoordinatorFixture } from '../coordinator.ts';

/** Every operation on a session. */
export const operations: readonly [
  string,
  (c: Coordinator, ref: SessionRef) => Promise<unknown>,
][] = [
  ['info', (c, ref) => c.info(ref)],
  ['rename', (c, ref) => c.rename(ref, 'other')],
  ['setLabels', (c, ref) => c.setLabels(ref, { a: 'b' })],
  ['sendText', (c, ref) => c.sendText(ref, 'x')],
  ['sendKeys', (c, ref) => c.sendKeys(ref, ['enter'])],
  ['sendBytes', (c, ref) => c.sendBytes(ref, Uint8Array.of(0))],
  ['sendMouse', (c, ref) => c.sendMouse(ref, [{ action: 'move', row: 0, col: 0 }])],
  ['sendFocus', (c, ref) => c.sendFocus(ref, true)],
  ['resize', (c, ref) => c.resize(ref, { cols: 10, rows: 10 })],
  ['kill', (c, ref) => c.kill(ref, 'KILL')],
  ['end', (c, ref) => c.end(ref)],
  ['remove', (c, ref) => c.remove(ref)],
  ['screen', (c, ref) => c.screen(ref)],
  ['frame', (c, ref) => c.frame(ref)],
  ['readLines', (c, ref) => c.readLines(ref)],
  ['record', (c, ref) => c.record(ref)],
  ['setMarker', (c, ref) => c.setMarker(ref, 'here')],
  ['search', (c, ref) => c.search(ref, { pattern: 'x' })],
  // The session is checked before the other arguments.
  ['wait', (c, ref) => c.wait(ref, { match: ['('] })],
  ['read', (c, ref) => c.read(ref, { since: 'no mark' })],
  ['activity', (c, ref) => c.activity(ref)],
  ['explainAgent', (c, ref) => c.explainAgent(ref, { kind: 'no-such-kind' })],
  ['commands', (c, ref) => c.commands(ref)],
  ['commandOutput', (c, ref) => c.commandOutput(ref)],
  ['run', (c, ref) => c.run(ref, { line: '' })],
  ['take', (c, ref) => c.take(ref)],
  ['give', (c, ref) => c.give(ref)],
  ['view', (c, ref) => c.view(ref, { kind: 'attach', size: { cols: 80, rows: 24 } })],
  ['subscribe', (c, ref) => c.subscribe(ref)],
];

export function namesContract(fixture: CoordinatorFixture): void {
  describe('names', () => {
    it.each(operations)(
      '%s without such a session lists the existing ones',
      async (_name, call) => {
        const notFound = (says: RegExp) => ({
          code: 'SESSION_NOT_FOUND',
          message: expect.stringMatching(says),
          details: { name: 'biuld' },
        });
        const { coordinator } = fixture;
        await expect(call(coordinator, 'biuld')).rejects.toMatchObject(
          notFound(/"biuld" not found: there are no sessions/),
        );
        await fixture.driver.spawn({ name: 'build', program: 'true' });
        await expect(call(coordinator, 'biuld')).rejects.toMatchObject(notFound(/"biuld".*build/));
      },
    );

    it.each(operations)('%s never reaches a session that reused the name', async (_name, call) => {
      const { coordinator, driver } = fixture;
      const first = await driver.spawn({ name: 'build', program: 'true' });
      await coordinator.remove(first);
      const second = await driver.spawn({ name: 'build', program: 'cat' });
      expect(second.id).not.toBe(first.id);
      await expect(call(coordinator, first)).rejects.toMatchObject({
        code: 'SESSION_NOT_FOUND',
        message: expect.stringMatching(/"build".*removed/),
      });
      expect(await coordinator.info('build')).toMatchObject({
        id: second.id,
        state: 'running',
        revision: second.revision,
        size: second.size,
      });
    });

    it('refer to sessions, with or without the id', async () => {
      const { coordinator, driver } = fixture;
      expect(await coordinator.list()).toEqual([]);
      const sessions = [];
      for (const name of ['b', 'a', '0']) {
        sessions.push(await driver.spawn({ name, program: 'sleep', args: ['1000'] }));
      }
      expect(await coordinator.list()).toEqual(sessions);
      expect(await coordinator.info('a')).toEqual(sessions[1]);
      expect(await coordinator.info({ name: 'a', id: sessions[1]?.id ?? '' })).toEqual(sessions[1]);
    });

    it.each(['', ' ', 'a b', 'a/b', '../a', '..', 'a\nb', 'a\0', 'ä', 'x'.repeat(65)])(
      'of %j is rejected',
      async (name) => {
        await expect(fixture.coordinator.spawn({ name, program: 'true' })).rejects.toMatchObject({
          code: 'INVALID_NAME',
          message: expect.stringMatching(/1 to 64 characters of A-Z a-z 0-9 \. _ -/),
        });
      },
    );

    it('are given to one of two concurrent requests', async () => {
      const { coordinator, driver } = fixture;
      const spawning = [1, 2, 3].map(() => driver.spawn({ name: 'build', program: 'cat' }));
      const codes = await Promise.all(spawning.map((each) => driver.codeOf(each)));
      const taken = 'SESSION_ALREADY_EXISTS';
      expect(codes.sort()).toEqual([taken, taken, 'done']);
      expect(await coordinator.list()).toHaveLength(1);
      await expect(coordinator.spawn({ name: 'build' })).rejects.toMatchObject({
        code: taken,
        message: expect.stringMatching(/session build exists.*another name.*remove/),
      });
    });

    it('are in use until the session is removed, also after its exit', async () => {
      const { coordinator, driver } = fixture;
      const session = await driver.spawn({ name: 'build', program: 'true' });
      await driver.exitOf(session);
      const taken = { code: 'SESSION_ALREADY_EXISTS' };
      await expect(coordinator.spawn({ name: 'build' })).rejects.toMatchObject(taken);
      await coordinator.remove(session);
      await driver.spawn({ name: 'build', program: 'true' });
    });
  });

  describe('the limit of sessions', () => {
    it('rejects one too many, with the limit and the names of running sessions', async () => {
      const driver = await fixture.another({ maxSessions: 2 });
      await driver.spawn({ name: 'one', program: 'cat' });
      await driver.spawn({ name: 'two', program: 'cat' });
      await expect(driver.coordinator.spawn({ program: 'cat' })).rejects.toMatchObject({
        code: 'MAX_SESSIONS',
        message: expect.stringMatching(/the limit is 2; end one, e\.g\. one, two/),
        details: { maxSessions: 2, sessions: ['one', 'two'] },
      });
      expect(await driver.coordinator.list()).toHaveLength(2);
    });

    it('applies to concurrent requests', async () => {
      const driver = await fixture.another({ maxSessions: 3 });
      const spawning = Array.from({ length: 10 }, () => driver.spawn({ program: 'cat' }));
      const codes = await Promise.all(spawning.map((each) => driver.codeOf(each)));
      expect(codes.filter((code) => code === 'done')).toHaveLength(3);
      expect(codes.filter((code) => code === 'MAX_SESSIONS')).toHaveLength(7);
    });

    it('does not count exited sessions', async () => {
      const driver = await fixture.another({ maxSessions: 1 });
      for (let count = 0; count < 3; count++) {
        await driver.exitOf(await driver.spawn({ program: 'true' }));
      }
      expect(await driver.coordinator.list()).toHaveLength(3);
      const running = await driver.spawn({ program: 'cat' });
      const tooMany = { code: 'MAX_SESSIONS' };
      await expect(driver.coordinator.spawn({ program: 'cat' })).rejects.toMatchObject(tooMany);
      await driver.coordinator.remove(running);
      await driver.spawn({ program: 'cat' });
    });
  });
}
