import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { needs } from '../../support/run/needs.ts';
import { tree } from '../../support/tree.ts';
import type { CoordinatorFixture } from '../coordinator.ts';

export function revivingContract(fixture: CoordinatorFixture): void {
  describe('revive', () => {
    const line = (text: string) => ['-c', `echo ${text} $A; test -t 1 && stty size; exit 3`];

    /** A session of a program that has exited. */
    const ended = async (text = 'first') => {
      const { coordinator, driver } = fixture;
      const session = await driver.spawn({
        name: 'web',
        program: 'sh',
        args: line(text),
        env: { A: 'value', B: '' },
        size: { cols: 66, rows: 11 },
        cwd: '/',
        labels: { team: 'x' },
        limits: { memoryBytes: 2 ** 30 },
        lifetime: { maxRunMs: 60_000 },
      });
      await driver.exitOf(session);
      return coordinator.info(session);
    };

    it('starts the same program again below the lines of the ended session', async () => {
      const { coordinator, driver } = fixture;
      const old = await ended();
      const revived = await driver.revive('web');
      expect(revived.id).not.toBe(old.id);
      const { program, args, cwd, size, labels, limits, lifetime } = old;
      expect(revived).toMatchObject({ name: 'web', program, args, cwd, size });
      expect(revived).toMatchObject({ labels, limits, lifetime });
      await driver.exitOf(revived);
      const { lines } = await coordinator.readLines('web');
      expect(lines.map(({ text }) => text).slice(0, 5)).toEqual([
        ...['first value', '11 66'],
        expect.stringMatching(/^\[revived \d{4}-\d\d-\d\d \d\d:\d\d; exited 3\]$/),
        ...['first', '11 66'],
      ]);
      expect((await coordinator.list()).map(({ id }) => id)).toEqual([revived.id]);
      await expect(coordinator.info(old)).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
    });

    it('has output of its own: start is below the lines of the ended session', async () => {
      const { coordinator, driver } = fixture;
      await ended('ready');
      const program = { program: 'sh', args: ['-c', 'read x; echo ready $x; cat'] };
      const revived = await driver.revive('web', program);
      const nothing = await coordinator.read(revived, { since: 'start' });
      expect(nothing.text.head + nothing.text.tail).toBe('');
      const patterns = { match: ['^ready (.*)'], since: 'start' };
      const late = await coordinator.wait(revived, { ...patterns, timeoutMs: 100 });
      expect(late).toMatchObject({ outcome: 'timed_out' });
      expect(late).not.toHaveProperty('matchedBefore');
      const waiting = coordinator.wait(revived, patterns);
      await coordinator.sendText(revived, 'again\r');
      expect(await waiting).toMatchObject({ outcome: 'matched', match: { groups: ['again'] } });
      const { text, gap } = await coordinator.read(revived, { since: 'start' });
      expect(text.head + text.tail).toMatch(/^again\nready again/);
      expect(gap).toEqual({ lines: 0, bytes: 0 });
      // Without a mark, all lines.
      const { text: all } = await coordinator.read(revived, {});
      expect(all.head + all.tail).toMatch(/^ready value\n/);
    });

    it('does not count the lines that the ended session has lost', async () => {
      const { coordinator, driver } = fixture;
      const all = { pattern: '^none$' };
      const program = { program: 'sh', args: ['-c', 'seq 100'] };
      const session = await driver.spawn({ name: 'web', ...program, scrollbackLines: 5 });
      await driver.exitOf(session);
      expect((await coordinator.search(session, all)).lostLines).toBeGreaterThan(50);
      const revived = await driver.revive('web', { program: 'sh', args: ['-c', 'echo again'] });
      await driver.exitOf(revived);
      const { lostLines } = await coordinator.search(revived, all);
      const { gap } = await coordinator.read(revived, {});
      const { dropped } = await coordinator.readLines(revived, { from: 0 });
      expect([lostLines, gap.lines, dropped]).toEqual([0, 0, 0]);
    });

    it('waits for output of the new program, from its first byte on', async () => {
      const { driver } = fixture;
      await ended('ready');
      const wait = { match: ['^ready'], timeoutMs: 60_000 };
      const later = ['-c', 'sleep 0.2; echo ready now; cat'];
      const revived = await driver.revive('web', { program: 'sh', args: later, wait });
      expect(revived.wait).toMatchObject({ outcome: 'matched', match: { text: 'ready now' } });
      await fixture.coordinator.end('web', { force: true });
      const at = { program: 'sh', args: ['-c', 'echo ready first; cat'], wait };
      const again = await driver.revive('web', at);
      expect(again.wait).toMatchObject({ outcome: 'matched', match: { text: 'ready first' } });
    });

    needs('bash')('starts in the last directory of the shell, or in a given one', async () => {
      const { coordinator, driver } = fixture;
      const directory = tree({ 'sub/file': '' });
      const bash = await driver.spawn({ name: 'bash', program: 'bash', cwd: directory });
      await coordinator.wait(bash, { prompt: true });
      await coordinator.run(bash, { line: 'cd sub' });
      await coordinator.sendText(bash, 'exit\r');
      await driver.exitOf(bash);
      const revived = await driver.revive('bash', { program: 'pwd', args: [] });
      expect(revived.cwd).toBe(join(directory, 'sub'));
      await driver.exitOf(revived);
      expect((await driver.revive('bash', { cwd: directory })).cwd).toBe(directory);
    });

    it('names the variables whose values are missing', async () => {
      const { coordinator, driver } = fixture;
      await ended();
      const first = await driver.revive('web', { env: { A: 'given' } });
      expect(first.missingEnv).toEqual(['B']);
      await driver.exitOf(first);
      expect((await coordinator.screen('web')).text[0]).toBe('first given');
      expect((await driver.revive('web')).missingEnv).toEqual(['A', 'B']);
    });

    it('starts another program if one is given', async () => {
      const { coordinator, driver } = fixture;
      await ended();
      const revived = await driver.revive('web', { program: 'sh', args: line('other') });
      expect(revived.args).toEqual(line('other'));
      await driver.exitOf(revived);
      expect((await coordinator.screen('web')).text[0]).toBe('other');
    });

    it('refuses a session that runs, and one that was published', async () => {
      const { coordinator, driver } = fixture;
      const running = await driver.spawn({ name: 'cat', program: 'cat' });
      await expect(coordinator.revive('cat')).rejects.toMatchObject({
        code: 'SESSION_ALREADY_EXISTS',
        message: 'session cat is running; end it first, or spawn another session',
      });
      expect(await coordinator.info('cat')).toEqual(running);
      const publication = await coordinator.publish({ name: 'fed', by: 'a test' });
      await publication.exit({ code: 0, signal: null });
      await expect(coordinator.revive('fed')).rejects.toMatchObject({ code: 'SESSION_READ_ONLY' });
      await expect(coordinator.revive('no')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
    });

    it('keeps the ended session if the program cannot be started', async () => {
      const { coordinator } = fixture;
      const old = await ended();
      const request = { program: '/no/such/program' };
      const code = 'PROGRAM_NOT_FOUND';
      await expect(coordinator.revive('web', request)).rejects.toMatchObject({ code });
      expect(await coordinator.info('web')).toEqual(old);
      expect((await coordinator.screen('web')).text[0]).toBe('first value');
    });

    it('starts one program for concurrent requests, and for a repeat with the same id', async () => {
      const { coordinator, driver } = fixture;
      await ended();
      const inputId = 'revive-1';
      const first = await driver.revive('web', { program: 'cat', inputId });
      const again = await coordinator.revive('web', { program: 'cat', inputId });
      expect(again.id).toBe(first.id);
      await coordinator.end('web', { force: true });
      const both = [1, 2].map(() => driver.revive('web', { program: 'cat' }));
      const results = await Promise.allSettled(both);
      expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    });
  });
}
