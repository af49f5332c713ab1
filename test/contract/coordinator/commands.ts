import { describe, expect, it } from 'vitest';
import { defined } from '#base';
import type {
  CommandOutputRequest,
  CommandRecord,
  CommandReport,
  RunRequest,
  SessionInfo,
  SpawnRequest,
  SubscribeRequest,
  SubscriptionEvent,
} from '#model';
import { needs } from '../../support/run/needs.ts';
import type { CoordinatorFixture } from '../coordinator.ts';

const waitMs = 60_000;

export function commandsContract(fixture: CoordinatorFixture): void {
  /** Starts a shell that reads no start-up files, and waits for its prompt. */
  const bash = async (more: SpawnRequest = {}): Promise<SessionInfo> => {
    const env = { PS1: '$ ', HISTFILE: '/dev/null', HOME: '/nonexistent' };
    const session = await fixture.driver.spawn({ program: 'bash', env, cwd: '/', ...more });
    const wait = { prompt: true, timeoutMs: waitMs };
    expect((await fixture.coordinator.wait(session, wait)).outcome).toBe('prompt');
    return session;
  };
  const run = (session: SessionInfo, line: string, more: Partial<RunRequest> = {}) =>
    fixture.coordinator.run(session, { line, timeoutMs: waitMs, ...more });

  describe('run', () => {
    needs('bash')('returns the exit code and the exact output', async () => {
      const session = await bash();
      expect(await run(session, 'echo hello; echo there; false')).toEqual({
        outcome: 'finished',
        command: expect.objectContaining({ number: 1, line: 'echo hello; echo there; false' }),
        exitCode: 1,
        statusFrom: 'marks',
        output: { head: '', tail: 'hello\nthere', omitted: null, tokens: expect.any(Number) },
        openEnd: false,
        gap: { lines: 0, bytes: 0 },
        exitStatus: null,
        mark: expect.any(String),
        revision: expect.any(Number),
        driverEpoch: 1,
        timeoutMs: waitMs,
        elapsedMs: expect.any(Number),
      });
      expect(await run(session, 'printf abc')).toMatchObject({
        exitCode: 0,
        output: { tail: 'abc' },
        openEnd: true,
      });
      expect(await run(session, 'true')).toMatchObject({ output: { tail: '' }, openEnd: true });
      const both = { maxLines: 2, keep: 'both' } as const;
      expect((await run(session, 'seq 9', both)).output).toMatchObject({
        head: '1',
        tail: '9',
        omitted: { lines: 7 },
      });
    });

    needs('bash')('leaves a command running after the timeout', async () => {
      const { coordinator } = fixture;
      const session = await bash();
      const line = 'echo begun; read -r _; echo over';
      const result = await run(session, line, { asks: false, timeoutMs: 500 });
      expect(result).toMatchObject({
        outcome: 'timed_out',
        exitCode: null,
        command: { state: 'running', exitCode: null, endedAtMs: null, to: null },
        output: { tail: 'begun' },
        timeoutMs: 500,
      });
      const { mark } = result;
      const refused = run(session, 'ls');
      await expect(refused).rejects.toMatchObject({ code: 'NOT_AT_PROMPT' });
      const wait = { finished: true, since: mark, timeoutMs: waitMs };
      const { wait: end } = await coordinator.sendText(session, '\r', { wait });
      expect(end).toMatchObject({ outcome: 'finished', command: { number: 1, exitCode: 0 } });
    });

    needs('bash')('reports the exit of the shell', async () => {
      expect(await run(await bash(), 'exit 4')).toMatchObject({
        outcome: 'exited',
        exitStatus: { code: 4, signal: null },
      });
    });

    needs('bash')('returns no exit code if it is unknown', async () => {
      const session = await bash({ shellIntegration: false });
      expect(await run(session, 'echo hello; false', { query: false })).toMatchObject({
        outcome: 'prompt',
        command: null,
        exitCode: null,
        output: { tail: 'hello' },
      });
    });

    it.each<[string, RunRequest, string]>([
      ['nothing', { line: ' ' }, 'NO_INPUT'],
      ['a prompt that is not RE2', { line: 'ls', promptPattern: '(' }, 'INVALID_PATTERN'],
      ['half a line', { line: 'ls', maxLines: 0.5 }, 'INVALID_ARGUMENT'],
      ['a cancelled call', { line: 'ls', signal: AbortSignal.abort() }, 'CANCELLED'],
      ['no prompt', { line: 'ls', timeoutMs: 300 }, 'NOT_AT_PROMPT'],
    ])('fails: %s', async (_what, request, code) => {
      const { coordinator, driver } = fixture;
      await driver.ready('echo ready; exec sleep 1000', { name: 'one' });
      const running = coordinator.run('one', request);
      await expect(running).rejects.toMatchObject({ code });
      await expect(running).rejects.toThrow(/^session one: /);
      expect(await driver.text('one')).toBe('ready');
    });

    it('fails if the program has ended', async () => {
      const { coordinator, driver } = fixture;
      const session = await driver.sh('exit 0');
      await driver.exitOf(session);
      expect(await driver.codeOf(coordinator.run(session, { line: 'ls' }))).toBe(
        'SESSION_NOT_RUNNING',
      );
    });
  });

  describe('commands', () => {
    needs('bash')('have line, directory, times, exit code and position', async () => {
      const { coordinator } = fixture;
      const before = Date.now() - 1000;
      const session = await bash();
      await run(session, 'cd /tmp');
      await run(session, 'echo "ä 漢"; (exit 3)');
      const list = await coordinator.commands(session);
      expect(list).toMatchObject({ dropped: 0, integration: 'integrated' });
      expect(
        list.commands.map(({ number, line, cwd, exitCode }) => [number, line, cwd, exitCode]),
      ).toEqual([
        [1, 'cd /tmp', '/', 0],
        [2, 'echo "ä 漢"; (exit 3)', '/tmp', 3],
      ]);
      const [, second] = list.commands;
      expect(second).toMatchObject({ state: 'ended', from: { col: 0 }, to: { col: 0 } });
      expect(second?.startedAtMs).toBeGreaterThan(before);
      expect(second?.endedAtMs).toBeGreaterThanOrEqual(second?.startedAtMs ?? 0);
      expect((second?.to?.line ?? 0) - (second?.from.line ?? 0)).toBe(1);
      const last = await coordinator.commands(session, { last: 1 });
      expect(last.commands).toEqual([second]);
    });

    needs('bash')('have their output, also after the screen was cleared', async () => {
      const { coordinator } = fixture;
      const session = await bash();
      await run(session, 'printf "\\033[31mred\\033[m\\n"');
      await run(session, 'seq 200');
      await run(session, 'false');
      const read = (request: CommandOutputRequest) => coordinator.commandOutput(session, request);
      expect(await read({ command: 1 })).toMatchObject({
        command: { number: 1 },
        text: { tail: 'red' },
        openEnd: false,
      });
      expect((await read({ command: 1, format: 'ansi' })).text.tail).toMatch(/\u001b\[(0;)?31mred/);
      const head = await read({ command: 2, maxLines: 2, keep: 'head' });
      expect(head.text).toMatchObject({ head: '1\n2', omitted: { lines: 198 } });
      expect(await read({})).toMatchObject({ command: { number: 3 }, text: { tail: '' } });
    });

    needs('bash')('keep their output when the screen is cleared and the shell exits', async () => {
      const { coordinator } = fixture;
      const session = await bash();
      const clear = `printf '\\033[H\\033[2J\\033[3J'`;
      await run(session, 'echo keep1');
      await run(session, `echo x; ${clear}; echo y`);
      await run(session, "printf '\\033[4;4Hhere\\n'");
      await run(session, clear);
      await run(session, 'exit');
      const texts = [1, 2, 3, 4].map(async (command) => {
        const { text, gap } = await coordinator.commandOutput(session, { command });
        return [text.tail, gap];
      });
      const noGap = { lines: 0, bytes: 0 };
      expect(await Promise.all(texts)).toEqual([
        ['keep1', noGap],
        ['x\ny', noGap],
        ['here', noGap],
        ['', noGap],
      ]);
      const request = { pattern: 'keep', command: 1 };
      expect((await coordinator.search(session, request)).matches).toMatchObject([
        { line: 0, inOutput: true, text: 'keep1' },
      ]);
    });

    needs('bash')('have their raw output', async () => {
      const { coordinator } = fixture;
      const session = await bash();
      await run(session, "printf '\\033[31mred\\tx\\n'");
      const read = (request: CommandOutputRequest) =>
        coordinator.commandOutput(session, { format: 'raw', ...request });
      const { raw, text, gap } = await read({});
      expect(Buffer.from(raw?.bytes ?? []).toString()).toBe('\u001b[31mred\tx\r\n');
      expect(raw?.omittedBytes).toBe(0);
      expect([text.tail, gap]).toEqual(['', { lines: 0, bytes: 0 }]);
      expect((await read({ maxBytes: 2 })).raw).toMatchObject({ omittedBytes: 10 });
    });

    needs('bash')('count output that is gone', async () => {
      const { coordinator } = fixture;
      const session = await bash();
      const long = 'x'.repeat(100);
      await run(session, 'echo first; printf "\\033[H"');
      await run(session, `yes ${long} | head -n 600`);
      for (let more = 0; more < 17; more++) await run(session, `yes ${long} | head -n 640`);
      await run(session, "printf '\\033[H\\033[2J\\033[3J'");
      const { text, gap } = await coordinator.commandOutput(session, { command: 1 });
      expect([text.tail, gap.cleared, gap.lines > 0]).toEqual(['', true, true]);
    });

    needs('bash')('can be searched', async () => {
      const { coordinator } = fixture;
      const session = await bash();
      await run(session, 'echo apple one');
      await run(session, 'echo apple two; echo pear');
      const linesWith = async (pattern: string, command?: number | 'last') => {
        const request = { pattern, ...defined({ command }) };
        return (await coordinator.search(session, request)).matches.map(({ text }) => text);
      };
      expect(await linesWith('^apple', 1)).toEqual(['apple one']);
      expect(await linesWith('apple|pear', 'last')).toEqual(['apple two', 'pear']);
      expect(await linesWith('^apple')).toEqual(['apple one', 'apple two']);
    });

    it('are empty without shell marks', async () => {
      const { coordinator, driver } = fixture;
      const session = await driver.spawn({ program: 'cat' });
      const list = await coordinator.commands(session);
      const integrationReason = 'cat is not bash, zsh or fish';
      expect(list).toEqual({ commands: [], dropped: 0, integration: 'none', integrationReason });
      expect(await driver.codeOf(coordinator.commandOutput(session))).toBe('COMMAND_NOT_FOUND');
    });

    needs('bash')('reject an invalid command, budget or format', async () => {
      const session = await bash();
      await run(session, 'true');
      const refused: [CommandOutputRequest, RegExp][] = [
        [{ command: 1.5 }, /command is 1.5/],
        [{ command: 0 }, /command is 0/],
        [{ command: 2 }, /2/],
        [{ maxBytes: 0.5 }, /maxBytes is 0.5/],
        [{ format: 'cells' as 'ansi' }, /text, ansi or raw/],
      ];
      for (const [request, says] of refused) {
        await expect(fixture.coordinator.commandOutput(session, request)).rejects.toThrow(says);
      }
    });

    it.each([0, 1.5, -1, 1001])('reject a list of the last %s', async (last) => {
      await fixture.driver.spawn({ name: 'one', program: 'cat' });
      await expect(fixture.coordinator.commands('one', { last })).rejects.toMatchObject({
        code: 'INVALID_ARGUMENT',
        message: expect.stringContaining(`last is ${last}`),
      });
    });
  });

  describe('a subscription to commands', () => {
    needs('bash')('has a list, then each as it begins and ends, and last the exit', async () => {
      const { coordinator } = fixture;
      const session = await bash();
      for (const line of ['true', 'false']) await run(session, line);
      const subscription = await coordinator.subscribe(session, { commands: { last: 1 } });
      const events = subscription[Symbol.asyncIterator]();
      const first = (await events.next()).value;
      expect(first).toMatchObject({
        type: 'commands',
        list: { integration: 'integrated', commands: [{ number: 2, exitCode: 1 }] },
      });
      // They begin and end before anybody takes the events.
      for (const line of ['echo 3', 'cd /', '(exit 5)', 'sleep 0.01']) await run(session, line);
      await coordinator.sendText(session, 'exit 6\r');
      await coordinator.wait(session, { timeoutMs: waitMs });
      const changes: [number, string, number | null][] = [];
      const latest = new Map<number, CommandRecord>();
      let exit: SubscriptionEvent | null = null;
      for await (const event of subscription) {
        expect(exit).toBe(null);
        if (event.type === 'exit') exit = event;
        if (event.type !== 'command') continue;
        const { number, state, exitCode } = event.command;
        changes.push([number, state, exitCode]);
        latest.set(number, event.command);
      }
      expect(exit).toMatchObject({ status: { code: 6 } });
      const { commands } = await coordinator.commands(session);
      // Each began once and ended once, in order, and what was told is what is known.
      expect(changes).toEqual(
        commands.slice(2).flatMap(({ number, exitCode }) => [
          [number, 'running', null],
          [number, 'ended', exitCode],
        ]),
      );
      expect([...latest.values()]).toEqual(commands.slice(2));
      expect(commands.length).toBeGreaterThan(5);
    });

    it('has the commands of agents, whose status changes', async () => {
      const { coordinator, driver } = fixture;
      const session = await driver.spawn({ program: 'cat' });
      const report = (command: CommandReport) =>
        coordinator.report(session, { state: 'busy', agent: 'x', command });
      await report({ line: 'make one', call: '1' });
      const subscription = await coordinator.subscribe(session, { commands: {} });
      await report({ line: 'make one', call: '1', outcome: 'failed', exitCode: 2 });
      await report({ line: 'make two' });
      const changes: unknown[] = [];
      for await (const event of subscription) {
        if (event.type === 'commands') {
          const { agentCommands = [] } = event.list;
          changes.push(agentCommands.map(({ line, status }) => [line, status]));
        } else if (event.type === 'agentCommand') {
          const { line, status, exitCode } = event.command;
          changes.push([line, status, exitCode]);
          if (line === 'make two') break;
        }
      }
      expect(changes).toEqual([
        [['make one', 'running']],
        ['make one', 'failed', 2],
        ['make two', 'running', null],
      ]);
    });

    it('of a program that has ended is the list and the exit', async () => {
      const { coordinator, driver } = fixture;
      const session = await driver.spawn({ program: 'true' });
      await coordinator.wait(session, {});
      const types: string[] = [];
      for await (const { type } of await coordinator.subscribe(session, { commands: {} }))
        types.push(type);
      expect(types).toEqual(['commands', 'exit']);
    });

    needs('bash')('has no secrets where that is asked for', async () => {
      const { coordinator } = fixture;
      const session = await bash({
        env: { PS1: '$ ', HISTFILE: '/dev/null', API_TOKEN: 'hunter2-xyz' },
      });
      const request = { commands: {}, redact: true };
      const subscription = await coordinator.subscribe(session, request);
      await run(session, 'echo hunter2-xyz');
      const lines: (string | null)[] = [];
      for await (const event of subscription) {
        if (event.type !== 'command') continue;
        lines.push(event.command.line);
        if (event.command.state === 'ended') break;
      }
      expect(lines.join()).not.toContain('hunter2');
      expect(lines.join()).toContain('echo ');
    });

    it.each([{ since: 'r1-x' }, { scrollbackLines: 0 }, { maxWaitingBytes: 1 << 20 }])(
      'is refused with %j, and for the last 0',
      async (other) => {
        await fixture.driver.spawn({ name: 'one', program: 'cat' });
        const refused = { code: 'INVALID_ARGUMENT' };
        const subscribe = (request: SubscribeRequest) =>
          fixture.coordinator.subscribe('one', request);
        await expect(subscribe({ commands: {}, ...other })).rejects.toMatchObject(refused);
        await expect(subscribe({ commands: { last: 0 } })).rejects.toMatchObject(refused);
      },
    );
  });

  describe('activity', () => {
    needs('bash')('is reported with its evidence', async () => {
      const { coordinator } = fixture;
      const session = await bash();
      expect(await coordinator.activity(session)).toMatchObject({
        state: 'at_prompt',
        evidence: { shellMark: 'prompt', promptPattern: true, alternateScreen: false },
      });
      await coordinator.sendText(session, 'printf begun; sleep 1000\r', {
        wait: { match: ['^begun'], timeoutMs: waitMs },
      });
      expect(await coordinator.activity(session)).toMatchObject({
        state: 'running',
        evidence: { shellMark: 'command', promptPattern: false },
      });
    });

    it('is full_screen, and exited in the end', async () => {
      const { coordinator, driver } = fixture;
      const session = await driver.ready(`printf '\\033[?1049hready'; read -r _`);
      expect(await coordinator.activity(session)).toMatchObject({
        state: 'full_screen',
        evidence: { shellMark: null, alternateScreen: true },
      });
      await coordinator.sendText(session, '\n');
      await driver.exitOf(session);
      const { state, revision } = await coordinator.activity(session);
      expect(state).toBe('exited');
      expect(revision).toBeGreaterThan(0);
    });
  });
}
