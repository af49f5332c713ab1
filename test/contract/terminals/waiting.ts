import { describe, expect, it } from 'vitest';
import { deferred } from '../../support/deferred.ts';
import type { TerminalsFixture } from '../terminals.ts';

export function waitingContract(fixture: TerminalsFixture): void {
  describe('terminal/wait_for_exit', () => {
    it('[S2.05] returns the exit code to several waits, also after the exit', async () => {
      const { pair, coordinator } = fixture;
      const terminal = await pair.run('read line; exit 7');
      const waits = Array.from({ length: 20 }, () => pair.waitForExit(terminal));
      await coordinator.sendText(terminal, '\r');
      const status = { exitCode: 7, signal: null };
      expect(await Promise.all(waits)).toEqual(waits.map(() => status));
      expect(await pair.waitForExit(terminal)).toEqual(status);
    });

    it('[S2.05] returns the signal that ended a program, and then no code', async () => {
      const { pair } = fixture;
      const terminal = await pair.run('kill -USR1 $$');
      expect(await pair.waitForExit(terminal)).toEqual({ exitCode: null, signal: 'SIGUSR1' });
      expect(await pair.output(terminal)).toMatchObject({
        exitStatus: { exitCode: null, signal: 'SIGUSR1' },
      });
    });

    it('[S2.05] is cancelled without effect on the program and on other waits', async () => {
      const { pair, coordinator } = fixture;
      const terminal = await pair.run('echo ready; read line; exit 7');
      const cancel = new AbortController();
      const cancelled = pair.waitForExit(terminal, { cancellationSignal: cancel.signal });
      const other = pair.waitForExit(terminal);
      cancel.abort();
      await expect(cancelled).rejects.toMatchObject({
        code: -32800,
        message: expect.stringContaining('was cancelled'),
      });
      expect(await coordinator.info(terminal)).toMatchObject({ state: 'running' });
      await coordinator.sendText(terminal, '\r');
      expect(await other).toEqual({ exitCode: 7, signal: null });
    });
  });

  describe('terminal/kill', () => {
    it('[S2.06] ends the program and its descendants; the terminal stays usable', async () => {
      const { pair, coordinator } = fixture;
      const terminal = await pair.run('trap "" HUP; sleep 1000 & echo started; wait');
      await coordinator.wait(terminal, { since: 'start', match: ['^started$'] });
      const wait = pair.waitForExit(terminal);
      expect(await pair.kill(terminal)).toEqual({});
      const status = await wait;
      expect(status).toEqual({ exitCode: null, signal: 'SIGTERM' });
      expect(await pair.output(terminal)).toEqual({
        output: 'started\n',
        truncated: false,
        exitStatus: status,
      });
      expect(await pair.kill(terminal)).toEqual({});
      expect(await pair.release(terminal)).toEqual({});
    });

    it('[S2.06] has no effect after the exit', async () => {
      const { pair } = fixture;
      const terminal = await pair.run('exit 3');
      await pair.waitForExit(terminal);
      expect(await pair.kill(terminal)).toEqual({});
      expect(await pair.waitForExit(terminal)).toEqual({ exitCode: 3, signal: null });
    });

    it('[S2.06] answers before pending waits, with time to request the output', async () => {
      const { pair } = fixture;
      const terminal = await pair.run('cat');
      const events: string[] = [];
      const wait = pair.waitForExit(terminal).then(() => {
        events.push('exit');
        return pair.release(terminal);
      });
      await pair.kill(terminal);
      events.push('kill');
      const { exitStatus } = await pair.output(terminal);
      await wait;
      expect([events, exitStatus?.signal]).toEqual([['kill', 'exit'], 'SIGHUP']);
    });

    it('[S2.09] lets an agent build a timeout: create, race, kill, output, release', async () => {
      const { pair, coordinator } = fixture;
      const terminal = await pair.run('echo before; sleep 1000');
      const timer = deferred<'timer'>();
      const race = Promise.race([timer.promise, pair.waitForExit(terminal)]);
      await coordinator.wait(terminal, { since: 'start', match: ['^before$'] });
      timer.resolve('timer');
      expect(await race).toBe('timer');
      await pair.kill(terminal);
      const { output, exitStatus } = await pair.output(terminal);
      expect([output, exitStatus]).toEqual(['before\n', { exitCode: null, signal: 'SIGHUP' }]);
      expect(await pair.waitForExit(terminal)).toEqual(exitStatus);
      await pair.release(terminal);
      await expect(pair.output(terminal)).rejects.toMatchObject({ code: -32002 });
    });
  });
}
