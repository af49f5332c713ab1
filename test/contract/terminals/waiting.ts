import { describe, expect, it } from 'vitest';
import { deferred } from '../../support/deferred.ts';
import type { TerminalsFixture } from '../terminals.ts';

export function waitingContract(fixture: TerminalsFixture): void {
  describe('terminal/wait_for_exit', () => {
    it('[S2.05] tells many the exit code, also those who ask after the exit', async () => {
      const { pair, coordinator } = fixture;
      const terminal = await pair.run('read line; exit 7');
      const waits = Array.from({ length: 20 }, () => pair.waitForExit(terminal));
      await coordinator.sendText(terminal, '\r');
      const status = { exitCode: 7, signal: null };
      expect(await Promise.all(waits)).toEqual(waits.map(() => status));
      expect(await pair.waitForExit(terminal)).toEqual(status);
    });

    it('[S2.05] tells the signal by which a program ended, and no code then', async () => {
      const { pair } = fixture;
      const terminal = await pair.run('kill -USR1 $$');
      expect(await pair.waitForExit(terminal)).toEqual({ exitCode: null, signal: 'SIGUSR1' });
      expect(await pair.output(terminal)).toMatchObject({
        exitStatus: { exitCode: null, signal: 'SIGUSR1' },
      });
    });

    it('[S2.05] is cancelled without harm to the program, or to others who wait', async () => {
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
    it('[S2.06] ends the program and all that it started; the terminal can still be asked', async () => {
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

    it('[S2.06] is nothing for a program that has ended', async () => {
      const { pair } = fixture;
      const terminal = await pair.run('exit 3');
      await pair.waitForExit(terminal);
      expect(await pair.kill(terminal)).toEqual({});
      expect(await pair.waitForExit(terminal)).toEqual({ exitCode: 3, signal: null });
    });

    it('[S2.06] tells who killed it before those who wait, with time to ask for the output', async () => {
      const { pair } = fixture;
      const terminal = await pair.run('cat');
      const told: string[] = [];
      const wait = pair.waitForExit(terminal).then(() => {
        told.push('exit');
        return pair.release(terminal);
      });
      await pair.kill(terminal);
      told.push('kill');
      const { exitStatus } = await pair.output(terminal);
      await wait;
      expect([told, exitStatus?.signal]).toEqual([['kill', 'exit'], 'SIGHUP']);
    });

    it('[S2.09] lets an agent build a time-out: create, race, kill, output, release', async () => {
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
