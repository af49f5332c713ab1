import { describe, expect, it } from 'vitest';
import type { Coordinator } from '#model';
import type { TerminalsFixture } from '../terminals.ts';

const states = async (coordinator: Coordinator): Promise<string[]> =>
  (await coordinator.list()).map(({ state }) => state);

export function failingContract(fixture: TerminalsFixture): void {
  const id = { sessionId: 'conversation' };
  const create = { ...id, command: 'true' };

  describe('a request that fails', () => {
    it.each<[string, unknown, RegExp]>([
      ['no parameters', undefined, /^terminal\/create: params is not an object/],
      ['no command', id, /command is missing; give a string/],
      ['an empty command', { ...id, command: ' ' }, /command is empty/],
      ['no conversation', { command: 'true' }, /sessionId is missing; give a string, the conv/],
      ['a number for a command', { ...id, command: 1 }, /command is 1; give a string/],
      ['arguments that are not an array', { ...create, args: '-l' }, /args is not an array/],
      [
        'an argument that is not a string',
        { ...create, args: ['a', 1] },
        /args\[1\] is not a string/,
      ],
      [
        'an environment that is not an array',
        { ...create, env: { A: 'b' } },
        /env is not an array; give \[\{/,
      ],
      [
        'a variable without a value',
        { ...create, env: [{ name: 'A' }] },
        /env\[0\] is not a variable/,
      ],
      ['a variable without a name', { ...create, env: [{ name: '', value: '' }] }, /env name ""/],
      [
        'a relative directory',
        { ...create, cwd: 'src' },
        /cwd is "src", which is relative; give an abs/,
      ],
      [
        'a directory that is missing',
        { ...create, cwd: '/no/such' },
        /"\/no\/such" does not exist; create/,
      ],
      [
        'a working directory that is a file',
        { ...create, cwd: '/dev/null' },
        /"\/dev\/null" is not a directory/,
      ],
      [
        'half a byte',
        { ...create, outputByteLimit: 0.5 },
        /outputByteLimit is 0.5; give a whole number/,
      ],
      [
        'less than nothing',
        { ...create, outputByteLimit: -1 },
        /outputByteLimit is -1; give a whole/,
      ],
      ['a NUL byte', { ...create, args: ['a\0b'] }, /args\[0\] contains a NUL byte/],
      [
        'a program that is not there',
        { ...id, command: 'no-such-program' },
        /"no-such-program" was not found in PATH/,
      ],
      [
        'a program that is not there, with arguments',
        { ...id, command: 'no such', args: ['x'] },
        /"no such" was not found/,
      ],
    ])('[S2.10] is -32602 and says what to do for %s', async (_what, params, message) => {
      const { pair, coordinator } = fixture;
      const failure = await pair.failure('terminal/create', params as object);
      expect(failure).toMatchObject({ code: -32602, message: expect.stringMatching(message) });
      // There is no terminal of any name.
      expect(failure.message).not.toContain('term_');
      expect(await coordinator.list()).toEqual([]);
    });

    it('has a short, readable message, whatever was requested', async () => {
      const { pair } = fixture;
      const params = { ...id, command: 'x'.repeat(100_000) };
      const { code, message } = await pair.failure('terminal/create', params);
      expect(code).toBe(-32602);
      expect(message).toContain('xxx');
      expect(message.length).toBeLessThanOrEqual(1000);
      const unknown = { ...id, terminalId: 'x'.repeat(100_000) };
      expect((await pair.failure('terminal/kill', unknown)).message.length).toBeLessThan(400);
    });

    it('is -32002 for an unknown terminal, and lists the open ones', async () => {
      const { pair } = fixture;
      const params = { ...id, terminalId: 'term_12345678' };
      expect(await pair.failure('terminal/output', params)).toMatchObject({
        code: -32002,
        message: expect.stringMatching(
          /^terminal "term_12345678" not found: .*; none is open; term/,
        ),
        data: { uri: 'term_12345678', code: 'SESSION_NOT_FOUND' },
      });
      const terminal = await pair.run('cat');
      const { message } = await pair.failure('terminal/output', params);
      expect(message).toContain(`open: ${terminal};`);
    });

    it('is -32602 without a terminal id', async () => {
      const failure = await fixture.pair.failure('terminal/kill', id);
      expect(failure).toMatchObject({
        code: -32602,
        message:
          'terminal/kill: terminalId is missing; give a string, as returned by terminal/create',
      });
    });

    it('is not hidden by a session that is not a terminal of the agent', async () => {
      const { pair, coordinator } = fixture;
      await coordinator.spawn({ name: 'private', program: 'cat' });
      for (const method of ['output', 'kill', 'release', 'wait_for_exit']) {
        const failure = await pair.failure(`terminal/${method}`, { ...id, terminalId: 'private' });
        expect(failure).toMatchObject({ code: -32002 });
      }
      expect(await coordinator.info('private')).toMatchObject({ state: 'running' });
    });

    it('is cancelled at once, whatever it is, and leaves nothing unfinished', async () => {
      const { pair, coordinator } = fixture;
      const cancelled = { code: -32800, message: 'the request was cancelled' };
      const aborted = { cancellationSignal: AbortSignal.abort() };
      const params = { command: 'sh', args: ['-c', 'sleep 1000'] };
      await expect(pair.create(params, aborted)).rejects.toMatchObject(cancelled);
      await expect.poll(() => states(coordinator)).toEqual(['exited']);

      // A program that is killed only after seconds.
      const terminal = await pair.run('trap "" HUP TERM; echo ready; while :; do sleep 1; done');
      await coordinator.wait(terminal, { since: 'start', match: ['^ready$'] });
      await expect(pair.kill(terminal, aborted)).rejects.toMatchObject(cancelled);
      await expect(pair.release(terminal, aborted)).rejects.toMatchObject(cancelled);
      await expect(pair.output(terminal)).rejects.toMatchObject({ code: -32002 });
      const both = ['exited', 'exited'];
      await expect.poll(() => states(coordinator)).toEqual(both);
    });

    it('still answers for a terminal that a person removed', async () => {
      const { pair, coordinator } = fixture;
      const terminal = await pair.run('echo seen; cat');
      await coordinator.wait(terminal, { since: 'start', match: ['^seen$'] });
      await coordinator.remove(terminal);
      expect(await pair.waitForExit(terminal)).toEqual({ exitCode: null, signal: 'SIGHUP' });
      expect(await pair.output(terminal)).toMatchObject({ output: 'seen\n' });
      expect(await pair.kill(terminal)).toEqual({});
      expect(await pair.release(terminal)).toEqual({});
    });
  });
}
