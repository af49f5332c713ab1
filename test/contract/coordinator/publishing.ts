import { describe, expect, it } from 'vitest';
import type { Coordinator, SessionRef } from '#model';
import { SubscribedTerminal } from '../../support/service/subscribed-terminal.ts';
import type { CoordinatorFixture } from '../coordinator.ts';

const bytes = (text: string): Uint8Array => Buffer.from(text);

export function publishingContract(fixture: CoordinatorFixture): void {
  describe('publish', () => {
    it('makes a session with its publisher and program', async () => {
      const { coordinator } = fixture;
      const request = { name: 'shown', by: 'an agent', program: 'make', args: ['-j', '4'] };
      const size = { cols: 40, rows: 5 };
      const { session } = await coordinator.publish({ ...request, cwd: '/work', size });
      expect(session).toMatchObject({
        name: 'shown',
        fedBy: 'an agent',
        program: 'make',
        args: ['-j', '4'],
        cwd: '/work',
        pid: 0,
        state: 'running',
        exitStatus: null,
        size,
      });
      expect(await coordinator.list()).toEqual([session]);
      expect(await coordinator.info('shown')).toEqual(session);
    });

    it('generates a name, and omits unknown fields', async () => {
      const { session } = await fixture.coordinator.publish({ by: 'x' });
      expect(session).toMatchObject({ program: '', args: [], cwd: '', pid: 0 });
      expect(session.name).toMatch(/^sess_[a-z0-9]{8}$/);
    });

    it('sets fedBy for published sessions only', async () => {
      const session = await fixture.driver.spawn({ program: 'true' });
      expect(session).not.toHaveProperty('fedBy');
    });

    it.each([
      ['INVALID_NAME', { by: 'x', name: 'a b' }],
      ['INVALID_NAME', { by: 'x', name: '' }],
      ['INVALID_SIZE', { by: 'x', size: { cols: 0, rows: 1 } }],
      ['INVALID_ARGUMENT', { by: '' }],
      ['INVALID_ARGUMENT', { by: 'x', lifetime: { keepExitedMs: -1 } }],
      ['INVALID_ARGUMENT', { by: 'x'.repeat(257) }],
    ])('%s: %j', async (code, request) => {
      const { coordinator, driver } = fixture;
      expect(await driver.codeOf(coordinator.publish(request))).toBe(code);
      expect(await coordinator.list()).toEqual([]);
    });

    it('reserves its name, and counts as a running session', async () => {
      const { coordinator, driver } = await fixture
        .another({ maxSessions: 1 })
        .then((other) => ({ coordinator: other.coordinator, driver: other }));
      const publication = await coordinator.publish({ by: 'x', name: 'one' });
      const again = coordinator.publish({ by: 'x', name: 'one' });
      expect(await driver.codeOf(again)).toBe('SESSION_ALREADY_EXISTS');
      expect(await driver.codeOf(coordinator.publish({ by: 'x' }))).toBe('MAX_SESSIONS');
      await publication.exit({ code: 0, signal: null });
      await coordinator.publish({ by: 'x' });
    });

    it('can be read, searched, waited for and subscribed to', async () => {
      const { coordinator } = fixture;
      const publication = await coordinator.publish({ by: 'x' });
      const { session } = publication;
      const { mark } = await coordinator.read(session);
      const waited = coordinator.wait(session, { match: ['three'] });
      const subscription = await coordinator.subscribe(session);
      const copy = new SubscribedTerminal(subscription);
      await publication.write(bytes('one\r\n\x1b[1mtwo\x1b[m\r\n'));
      // Accepted output is visible.
      expect((await coordinator.screen(session)).text.slice(0, 2)).toEqual(['one', 'two']);
      await publication.write(bytes('three\r\n'));
      expect(await waited).toMatchObject({ outcome: 'matched', match: { text: 'three' } });
      expect((await coordinator.search(session, { pattern: 't(wo|hree)' })).matches).toHaveLength(
        2,
      );
      expect((await coordinator.read(session, { since: mark })).text.tail).toContain('three');
      expect((await coordinator.activity(session)).state).toBe('running');
      await publication.exit({ code: 3, signal: null });
      while (!copy.exited) await copy.take(1);
      expect(copy.text()).toContain('one\ntwo\nthree');
      expect(await coordinator.wait(session)).toMatchObject({
        outcome: 'exited',
        exitStatus: { code: 3, signal: null },
      });
    });

    it('applies calls in their order, whatever their size', async () => {
      const { coordinator } = fixture;
      const publication = await coordinator.publish({ by: 'x', size: { cols: 20, rows: 3 } });
      const line = `${'-'.repeat(19)}\r\n`;
      const size = { cols: 60, rows: 3 };
      await Promise.all([
        publication.write(bytes(line.repeat(30_000))),
        publication.resize(size),
        publication.write(bytes('now wide\r\n')),
        publication.exit({ code: null, signal: 'SIGTERM' }),
      ]);
      const info = await coordinator.info(publication.session);
      expect(info).toMatchObject({ size, state: 'exited', exitStatus: { signal: 'SIGTERM' } });
      const { text } = await coordinator.screen(publication.session);
      expect(text.slice(0, 2)).toEqual([line.trim(), 'now wide']);
    });

    it.each([
      [true, ['one', 'two', 'three']],
      [false, ['one', '   two', 'three']],
    ])('returns the cursor at a line feed if fromPipe is %s', async (fromPipe, rows) => {
      const { coordinator } = fixture;
      const publication = await coordinator.publish({ by: 'x', fromPipe });
      await publication.write(bytes('one\ntwo\r'));
      await publication.write(bytes('\nthree'));
      expect((await coordinator.screen(publication.session)).text.slice(0, 3)).toEqual(rows);
    });

    it('copies the written bytes', async () => {
      const { coordinator } = fixture;
      const publication = await coordinator.publish({ by: 'x' });
      const array = bytes('before');
      const written = publication.write(array);
      array.set(bytes('after!'));
      await written;
      expect((await coordinator.screen(publication.session)).text[0]).toBe('before');
    });

    const refused: readonly [string, (c: Coordinator, ref: SessionRef) => Promise<unknown>][] = [
      ['sendText', (c, ref) => c.sendText(ref, 'x')],
      ['sendText and a wait', (c, ref) => c.sendText(ref, 'x', { wait: { quietMs: 1 } })],
      ['sendKeys', (c, ref) => c.sendKeys(ref, ['ctrl+c'])],
      ['sendBytes', (c, ref) => c.sendBytes(ref, bytes('x'))],
      ['sendMouse', (c, ref) => c.sendMouse(ref, [{ action: 'move', row: 0, col: 0 }])],
      ['resize', (c, ref) => c.resize(ref, { cols: 10, rows: 10 })],
      ['kill', (c, ref) => c.kill(ref)],
      ['run', (c, ref) => c.run(ref, { line: 'true' })],
    ];
    it.each(refused)('rejects %s, with the publisher', async (_name, call) => {
      const { coordinator } = fixture;
      const { session } = await coordinator.publish({ by: 'an agent', name: 'shown' });
      await expect(call(coordinator, session)).rejects.toMatchObject({
        code: 'SESSION_READ_ONLY',
        message: expect.stringMatching(/^session shown: .*an agent/),
      });
      expect((await coordinator.info(session)).state).toBe('running');
    });

    it('does not answer queries in its output', async () => {
      const { coordinator } = fixture;
      const publication = await coordinator.publish({ by: 'x' });
      await publication.write(bytes('\x1b[6n\x1b[c asked'));
      expect((await coordinator.screen(publication.session)).text[0]).toBe(' asked');
    });

    it('keeps its exit until it is removed, and accepts no more output', async () => {
      const { coordinator, driver } = fixture;
      const publication = await coordinator.publish({ by: 'x' });
      const { session } = publication;
      await publication.exit({ code: 0, signal: null });
      await publication.close();
      for (const step of [
        publication.write(bytes('late')),
        publication.resize({ cols: 9, rows: 9 }),
        publication.exit({ code: 1, signal: null }),
      ]) {
        expect(await driver.codeOf(step)).toBe('SESSION_NOT_RUNNING');
      }
      expect(await coordinator.remove(session)).toEqual({ code: 0, signal: null });
      expect(await driver.codeOf(coordinator.info(session))).toBe('SESSION_NOT_FOUND');
    });

    it('is removed some time after its exit', async () => {
      const { coordinator, driver } = fixture;
      const lifetime = { keepExitedMs: 0 };
      const publication = await coordinator.publish({ by: 'x', lifetime });
      expect(publication.session.lifetime).toEqual(lifetime);
      const subscription = await coordinator.subscribe(publication.session);
      await publication.exit({ code: 0, signal: null });
      for await (const _event of subscription);
      await expect
        .poll(() => driver.codeOf(coordinator.info(publication.session)))
        .toBe('SESSION_NOT_FOUND');
    });

    it('is hung up when ended, and kept', async () => {
      const { coordinator } = fixture;
      const { session } = await coordinator.publish({ by: 'x' });
      const hungUp = { code: null, signal: 'SIGHUP' };
      expect(await coordinator.end(session)).toEqual(hungUp);
      expect((await coordinator.info(session)).exitStatus).toEqual(hungUp);
    });

    it('is hung up when closed without an exit', async () => {
      const { coordinator, driver } = fixture;
      const publication = await coordinator.publish({ by: 'x' });
      await publication.write(bytes('half a line'));
      await publication.close();
      expect(await driver.exitOf(publication.session)).toEqual({ code: null, signal: 'SIGHUP' });
      expect((await coordinator.screen(publication.session)).text[0]).toBe('half a line');
    });

    it('is hung up when removed, and its publisher gets an error', async () => {
      const { coordinator, driver } = fixture;
      const publication = await coordinator.publish({ by: 'x' });
      expect(await coordinator.remove(publication.session)).toEqual({
        code: null,
        signal: 'SIGHUP',
      });
      expect(await driver.codeOf(publication.write(bytes('x')))).toBe('SESSION_NOT_RUNNING');
      await publication.close();
    });

    it.each([
      { code: null, signal: null },
      { code: 0, signal: 'SIGTERM' },
      { code: 256, signal: null },
      { code: -1, signal: null },
      { code: null, signal: 'term' },
    ])('rejects %j as an exit', async (status) => {
      const { coordinator, driver } = fixture;
      const publication = await coordinator.publish({ by: 'x' });
      expect(await driver.codeOf(publication.exit(status))).toBe('INVALID_ARGUMENT');
      await publication.write(bytes('goes on'));
    });
  });
}
