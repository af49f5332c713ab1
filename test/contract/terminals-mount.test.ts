import * as stable from '@agentclientprotocol/sdk';
import * as unstable from '@agentclientprotocol/sdk/unstable';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LocalCoordinator } from '#coordinator';
import { mountTerminals } from '#wire/acp';

describe('an app with terminals', () => {
  let coordinator: LocalCoordinator;

  beforeEach(() => {
    coordinator = new LocalCoordinator();
  });

  afterEach(() => coordinator.close());

  const command = { sessionId: 'conversation', command: 'echo text' };

  function connectedStable() {
    const app = stable.client();
    mountTerminals(app, { coordinator });
    return stable.agent().connect(app);
  }

  function connectedUnstable() {
    const app = unstable.client();
    mountTerminals(app, { coordinator });
    return unstable.agent().connect(app);
  }

  it.each([
    ['stable', connectedStable],
    ['unstable', connectedUnstable],
  ])('is one of the SDK, with an agent in the same process: %s', async (_name, connected) => {
    const connection = connected();
    const terminal = await connection.client.createTerminal(command);
    expect(await terminal.waitForExit()).toEqual({ exitCode: 0, signal: null });
    expect(await terminal.currentOutput()).toMatchObject({ output: 'text\n' });
    await terminal.release();
    await expect(terminal.currentOutput()).rejects.toMatchObject({ code: -32002 });
    connection.close();
  });

  it('has one connection after another, each with its own terminals', async () => {
    const app = stable.client();
    const mounted = mountTerminals(app, { coordinator });
    let closed = Promise.resolve();
    app.onConnect((connection) => {
      closed = connection.closed;
    });
    const agent = stable.agent();
    const [first, firstId] = await withTerminal();
    first.close();
    await closed;
    await mounted.ended();
    expect(await coordinator.info(firstId)).toMatchObject({ state: 'exited' });

    const [second, secondId] = await withTerminal();
    const ask = (terminalId: string) =>
      second.client.request('terminal/output', { sessionId: 'conversation', terminalId });
    await expect(ask(firstId)).rejects.toMatchObject({ code: -32002 });
    expect(await ask(secondId)).toMatchObject({ output: '' });
    second.close();

    async function withTerminal(): Promise<[stable.AgentConnection, string]> {
      const connection = agent.connect(app);
      const terminal = await connection.client.createTerminal({ ...command, command: 'cat' });
      return [connection, terminal.id];
    }
  });

  it('refuses a second connection at the same time, and keeps the first', async () => {
    const app = stable.client();
    mountTerminals(app, { coordinator });
    const first = stable.agent().connect(app);
    expect(() => stable.agent().connect(app)).toThrow(/create another app with mountTerminals/);
    const terminal = await first.client.createTerminal(command);
    expect(await terminal.waitForExit()).toEqual({ exitCode: 0, signal: null });
    first.close();
  });

  it('refuses invalid options early', () => {
    const mount = (options: object) => () =>
      mountTerminals(stable.client(), { coordinator, ...options });
    expect(mount({ maxRunMs: Number.MAX_SAFE_INTEGER })).toThrow('maxRunMs is 9007199254740991');
    expect(mount({ limits: { cpuPercent: 101 } })).toThrow('cpuPercent is 101');
    expect(mount({ maxTerminals: -1 })).toThrow(
      'maxTerminals is -1; give a whole number, 0 or more',
    );
    expect(mount({ escapes: 'some' })).toThrow('escapes is "some"; give strip or keep');
    expect(mount({ auditFile: '/no/such/directory/audit' })).toThrow(
      expect.objectContaining({
        code: 'IO_ERROR',
        details: { path: '/no/such/directory/audit', reason: 'ENOENT' },
      }),
    );
  });
});
