import { describe, expect, it } from 'vitest';
import type { CoordinatorFixture } from '../coordinator.ts';

export function reportingContract(fixture: CoordinatorFixture): void {
  describe('reports', () => {
    it('are what the program says, and end a wait', async () => {
      const { coordinator, driver } = fixture;
      const session = await driver.spawn({ program: 'cat' });
      const waiting = coordinator.wait(session, { status: ['blocked', 'error'] });
      const status = { state: 'working', progress: 40, message: 'copying', app: 'make' };
      const report = { state: 'busy', progress: 40, message: 'copying', agent: 'make' } as const;
      expect(await coordinator.report(session, report)).toEqual({ late: false });
      expect((await coordinator.info(session)).programStatus).toMatchObject(status);
      await coordinator.report(session, { state: 'asks', message: 'Go?' });
      const end = await waiting;
      expect(end.outcome).toBe('status');
      expect(end.programStatus).toMatchObject({ state: 'blocked', message: 'Go?', app: 'make' });
      const [listed] = await coordinator.list({ activity: true });
      expect(listed?.attention).toMatchObject({ kind: 'input', evidence: 'Go?' });
      await coordinator.report(session, { state: 'clear' });
      expect(await coordinator.info(session)).not.toHaveProperty('programStatus');
    });

    it('of a wait that is sent with input count only after it', async () => {
      const { coordinator, driver } = fixture;
      const session = await driver.ready('printf "\\033]7501;state=done\\007ready"; cat');
      const wait = { status: ['done'] as const };
      expect((await coordinator.wait(session, wait)).outcome).toBe('status');
      const result = await coordinator.sendText(session, 'x\n', {
        wait: { ...wait, timeoutMs: 1 },
      });
      expect(result.wait?.outcome).toBe('timed_out');
    });

    it('of commands list what an agent ran, within the number that is asked for', async () => {
      const { coordinator, driver } = fixture;
      const session = await driver.spawn({ program: 'cat' });
      expect(await coordinator.commands(session)).not.toHaveProperty('agentCommands');
      const make = { line: 'make \x1b[31mtest', cwd: '/src', call: 'a' };
      const agent = 'claude';
      expect(await coordinator.report(session, { command: make, agent })).toEqual({ late: false });
      const running = { number: 1, agent, line: 'make [31mtest', cwd: '/src', status: 'running' };
      const { agentCommands: begun } = await coordinator.commands(session);
      expect(begun).toMatchObject([running]);
      const end = { ...make, outcome: 'failed', exitCode: 2, durationMs: 1_500 } as const;
      await coordinator.report(session, { command: end, agent });
      await coordinator.report(session, { command: { line: 'ls' }, agent });
      await coordinator.report(session, { state: 'done', agent });
      const { agentCommands: all, commands } = await coordinator.commands(session);
      expect(commands).toEqual([]);
      expect(all).toMatchObject([
        { ...running, status: 'failed', exitCode: 2, durationMs: 1_500 },
        { number: 2, line: 'ls', cwd: null, status: 'unknown', exitCode: null, endedAtMs: null },
      ]);
      const { agentCommands: last } = await coordinator.commands(session, { last: 1 });
      expect(last).toMatchObject([{ number: 2 }]);
      // What reports a command does not say what the program does.
      expect((await coordinator.info(session)).programStatus).toMatchObject({ state: 'done' });
    });

    it('of commands are without secrets where that is asked for', async () => {
      const { coordinator, driver } = fixture;
      const session = await driver.spawn({ program: 'cat' });
      const line = 'curl -H "token: ghp_0123456789abcdefghijABCDEFGHIJ456789"';
      await coordinator.report(session, { command: { line } });
      const list = await coordinator.commands(session, { redact: true });
      expect(list.agentCommands?.[0]?.line).toMatch(/^curl -H "token: /);
      expect(JSON.stringify(list)).not.toContain('ghp_0');
      expect(list.redacted).toBe(1);
    });

    it('are refused if they are not valid, and for sessions that have no program', async () => {
      const { coordinator, driver } = fixture;
      const session = await driver.spawn({ program: 'cat' });
      const invalid = { code: 'INVALID_ARGUMENT' };
      await expect(coordinator.report(session, {})).rejects.toMatchObject(invalid);
      const commands = [
        { line: ' \x07' },
        { line: 'x', call: 'a b' },
        { line: 'x', exitCode: 1 },
        { line: 'x', outcome: 'failed', exitCode: 256 },
        { line: 'x', outcome: 'failed', durationMs: -1 },
      ] as const;
      for (const command of commands)
        await expect(coordinator.report(session, { command })).rejects.toMatchObject(invalid);
      const busy = { state: 'busy' } as const;
      await expect(coordinator.report('nobody', busy)).rejects.toMatchObject({
        code: 'SESSION_NOT_FOUND',
      });
      await coordinator.end(session);
      await expect(coordinator.report(session, busy)).rejects.toMatchObject({
        code: 'SESSION_NOT_RUNNING',
      });
      const publication = await coordinator.publish({ name: 'fed', by: 'test' });
      await expect(coordinator.report('fed', busy)).rejects.toMatchObject({
        code: 'SESSION_READ_ONLY',
      });
      await publication.close();
    });
  });

  describe('explanations', () => {
    it('tell what the screen would mean where no agent is known', async () => {
      const { coordinator, driver } = fixture;
      const menu = 'printf "Do you want to proceed?\\n> 1. Yes\\n  2. No\\nready"; cat';
      const session = await driver.ready(menu);
      const explained = await coordinator.explainAgent(session);
      expect(explained).not.toHaveProperty('agent');
      expect(explained).not.toHaveProperty('kind');
      const end = explained.regions.find(({ where }) => where === 'end');
      expect(end?.rows).toContain('Do you want to proceed?');
    });

    it('are without secrets, and refuse a kind that is not known', async () => {
      const { coordinator, driver } = fixture;
      const secret = 'ghp_0123456789abcdefghijABCDEFGHIJ456789';
      const session = await driver.ready(`echo KEY ${secret} ready; cat`);
      const shown = await coordinator.explainAgent(session, { redact: true });
      expect(JSON.stringify(shown)).not.toContain('ghp_0');
      expect(shown.redacted).toBeGreaterThan(0);
      const explanation = coordinator.explainAgent(session, { kind: 'nothing' });
      await expect(explanation).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    });
  });
}
