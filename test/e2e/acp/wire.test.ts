import type { AnyMessage } from '@agentclientprotocol/sdk';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LocalCoordinator } from '#coordinator';
import { VtrError } from '#model';
import { FrameChecker } from '../../support/acp/acp-schema.ts';
import { AcpWire } from '../../support/acp/acp-wire.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

describe('frames of terminals', () => {
  let coordinator: LocalCoordinator;
  let wire: AcpWire;
  let ids = 0;
  let messages: AnyMessage[] = [];

  beforeEach(() => {
    coordinator = new LocalCoordinator();
    wire = new AcpWire(coordinator).listen();
    messages = [];
  });
  afterEach(async () => {
    await wire.end();
    await coordinator.close();
  });

  /** Checks all messages to both ends against the protocol's schema. */
  const checkFrames = (): void => {
    const checker = new FrameChecker();
    for (const message of messages) checker.check(message, { params: true });
    const all = [...wire.agent.messages, ...wire.editor.messages];
    for (const message of all) checker.check(message, { params: true });
    expect(checker.counts.size).toBeGreaterThan(1);
  };

  const request = (method: string, params: object) => {
    ids++;
    const message: AnyMessage = {
      jsonrpc: '2.0',
      id: ids,
      method: `terminal/${method}`,
      params: { sessionId: 's', ...params },
    };
    messages.push(message);
    wire.agent.tell(message);
    return ids;
  };
  const result = async (id: number) => (await wire.agent.answerTo(id)).result;
  const create = async (line: string): Promise<string> => {
    const id = request('create', { command: 'sh', args: ['-c', line] });
    return (await result(id)).terminalId;
  };

  it('are answered as results arrive, not in the order of requests', async () => {
    const terminalId = await create('read -r line; exit 3');
    const waits = [1, 2].map(() => request('wait_for_exit', { terminalId }));
    const output = request('output', { terminalId });
    expect(await result(output)).toMatchObject({ truncated: false });
    await coordinator.sendText(terminalId, '\r');
    for (const wait of waits) expect(await result(wait)).toMatchObject({ exitCode: 3 });
    expect(wire.editor.heard.length).toBe(0);
  });

  it('have the same effect in one chunk or byte by byte', async () => {
    const frame = (id: number) =>
      `${JSON.stringify({ jsonrpc: '2.0', id, method: 'terminal/create', params: { sessionId: 's', command: 'true' } })}\r\n`;
    const other = '{"method":"_x"}\r\n';
    wire.agent.says.write(frame(101) + other + frame(102));
    for (const byte of Buffer.from(frame(103) + other)) wire.agent.says.write(Buffer.of(byte));
    for (const id of [101, 102, 103]) expect((await result(id)).terminalId).toMatch(/^term_/);
    expect((await wire.editor.hearsBytes(2 * other.length)).toString()).toBe(other + other);
  });

  it('that are cancelled fail, and the program keeps running', async () => {
    const terminalId = await create('exec sleep 1000');
    const wait = request('wait_for_exit', { terminalId });
    const cancel = { jsonrpc: '2.0', method: '$/cancel_request', params: { requestId: wait } };
    wire.agent.tell(cancel);
    expect((await wire.agent.answerTo(wait)).error.code).toBe(-32800);
    expect((await coordinator.info(terminalId)).state).toBe('running');
    // A cancellation of another request is passed to the editor.
    wire.agent.tell({ ...cancel, params: { requestId: 'theirs' } });
    await wire.editor.hearsMessage(({ params }) => params.requestId === 'theirs');
    expect(wire.editor.messages).toHaveLength(1);
  });

  it('end running programs when the conversation is closed', async () => {
    const terminalId = await create('exec sleep 1000');
    const params = { sessionId: 's' };
    wire.editor.tell({ jsonrpc: '2.0', id: 1, method: 'session/close', params });
    expect((await coordinator.wait(terminalId)).outcome).toBe('exited');
    await wire.agent.hearsMessage(({ method }) => method === 'session/close');
  });

  it('end terminals that are being created when the conversation is closed', async () => {
    const spawn = coordinator.spawn.bind(coordinator);
    coordinator.spawn = async (request) => {
      wire.editor.tell({
        jsonrpc: '2.0',
        id: 1,
        method: 'session/close',
        params: { sessionId: 's' },
      });
      await expect.poll(() => wire.agent.messages.length).toBe(1);
      return spawn(request);
    };
    const id = request('create', { command: 'sleep', args: ['1000'] });
    expect((await wire.agent.answerTo(id)).error).toMatchObject({ code: -32603 });
    expect(await coordinator.list()).toMatchObject([{ state: 'exited' }]);
  });

  it('that cannot be ended when the conversation is closed are only logged', async () => {
    await create('exec sleep 1000');
    const end = coordinator.end.bind(coordinator);
    coordinator.end = async () => {
      throw new VtrError('UNAVAILABLE', 'the coordinator is gone');
    };
    const params = { sessionId: 's' };
    wire.editor.tell({ jsonrpc: '2.0', id: 1, method: 'session/close', params });
    await expect.poll(() => wire.logged).toEqual([expect.stringContaining('is gone')]);
    coordinator.end = end;
  });

  it('end running programs when the agent dies in the middle of a frame', async () => {
    const terminalId = await create('exec sleep 1000');
    wire.agent.says.end('{"jsonrpc":"2.0","id":9,"method":"terminal/cr');
    wire.editor.says.end();
    await wire.passing;
    await wire.proxy.close();
    expect((await coordinator.info(terminalId)).state).toBe('exited');
    expect(wire.editor.heard.toString()).toContain('"terminal/cr');
  });

  const shown = (terminalId: string, toolCallId: string) => ({
    jsonrpc: '2.0',
    method: 'session/update',
    params: {
      sessionId: 's',
      update: {
        sessionUpdate: 'tool_call',
        toolCallId,
        title: 'x',
        content: [{ type: 'terminal', terminalId }],
      },
    },
  });
  const textIn = (message: {
    params?: { update?: { content?: { content?: { text: string } }[] } };
  }) => message.params?.update?.content?.[0]?.content?.text ?? '';

  it('show the current terminal in the first frame, and no update before it', async () => {
    const terminalId = await create('echo early; read -r line; seq 1000; echo late; read -r line');
    await coordinator.wait(terminalId, { screen: ['early'] });
    wire.agent.tell(shown(terminalId, 'call'));
    const first = await wire.editor.hearsMessage(() => true);
    expect(first.params.update.sessionUpdate).toBe('tool_call');
    expect(textIn(first)).toContain('early');
    await coordinator.sendText(terminalId, '\r');
    const late = await wire.editor.hearsMessage((message) => textIn(message).includes('late'));
    expect(late.params.update).toMatchObject({
      sessionUpdate: 'tool_call_update',
      toolCallId: 'call',
    });
    expect(Buffer.byteLength(textIn(late))).toBeLessThan(9_000);
    expect(textIn(late)).toMatch(/\.\.\. 9\d\d lines before\n/);
    expect(wire.editor.messages.length).toBeLessThan(10);
  });

  it('show all output of a program before the agent gets its exit', async () => {
    const terminalId = await create('echo early; read -r line; seq 100; exit 3');
    wire.agent.tell(shown(terminalId, 'call'));
    await wire.editor.hearsMessage((message) => textIn(message).includes('early'));
    const wait = request('wait_for_exit', { terminalId });
    await coordinator.sendText(terminalId, '\r');
    await wire.agent.answerTo(wait);
    expect(textIn(wire.editor.messages.at(-1))).toMatch(/\n100\n```\nexited 3/);
    await result(request('output', { terminalId }));
    await result(request('release', { terminalId }));
    checkFrames();
  });

  it('show the end of a terminal whose release keeps nothing', async () => {
    await wire.end();
    wire = new AcpWire(coordinator, { terminals: { keepReleasedMs: 0 } }).listen();
    const terminalId = await create('echo early; exec sleep 1000');
    wire.agent.tell(shown(terminalId, 'call'));
    await wire.editor.hearsMessage((message) => textIn(message).includes('early'));
    await result(request('release', { terminalId }));
    expect(await coordinator.list()).toEqual([]);
    const text = textIn(wire.editor.messages.at(-1));
    expect(text).toMatch(/early\n```\n(ended|killed by SIGHUP)/);
  });

  it('do not update a tool call that no longer shows the terminal', async () => {
    const terminalId = await create('echo early; read -r line; echo late; read -r line');
    wire.agent.tell(shown(terminalId, 'call'));
    const replaced = {
      jsonrpc: '2.0',
      method: 'session/update',
      params: {
        sessionId: 's',
        update: { sessionUpdate: 'tool_call_update', toolCallId: 'call', content: [] },
      },
    };
    wire.agent.tell(replaced);
    await wire.editor.hearsMessage(({ params }) => params.update.content.length === 0);
    wire.agent.tell(shown(terminalId, 'other'));
    await coordinator.sendText(terminalId, '\r');
    // One change updates all tool calls that show the terminal, the older ones first.
    await wire.editor.hearsMessage((message) => textIn(message).includes('late'));
    const updates = wire.editor.messages.map(({ params }) => params.update);
    const first = updates.findIndex(({ toolCallId }) => toolCallId === 'other');
    expect(updates.slice(first).map(({ toolCallId }) => toolCallId)).not.toContain('call');
  });

  it('keep the text of a terminal that a person removed', async () => {
    const terminalId = await create('echo shown; exec sleep 1000');
    await coordinator.wait(terminalId, { screen: ['shown'] });
    wire.agent.tell(shown(terminalId, 'one'));
    await wire.editor.hearsMessage((message) => textIn(message).includes('shown'));
    await coordinator.remove(terminalId);
    wire.agent.tell(shown(terminalId, 'two'));
    const again = await wire.editor.hearsMessage(
      ({ params }) => params.update.toolCallId === 'two',
    );
    expect(textIn(again)).toMatch(/^```\nshown\n```\nkilled by SIGHUP/);
  });

  describe('of terminals that an agent runs itself', () => {
    const update = (fields: object, sessionId = 's') => {
      const update = { sessionUpdate: 'tool_call_update', toolCallId: 'toolu_1', ...fields };
      wire.agent.tell({
        jsonrpc: '2.0',
        method: 'session/update',
        params: { sessionId, update },
      });
    };
    const waitFor = async (name: string) => {
      await expect.poll(async () => (await coordinator.list()).length).toBe(1);
      return coordinator.wait(name);
    };
    const terminal_id = 'toolu_1';
    const begin = {
      sessionUpdate: 'tool_call',
      title: 'make',
      content: [{ type: 'terminal', terminalId: terminal_id }],
      _meta: { terminal_info: { terminal_id } },
    };

    it('become text for an editor that cannot show them, until their end', async () => {
      update(begin);
      update({ _meta: { terminal_output: { terminal_id, data: 'one\ntwo\n' } } });
      const shown = await wire.editor.hearsMessage((each) => textIn(each).includes('two'));
      expect(textIn(shown)).toMatch(/^```\none\ntwo\n```\nrunning · `vtr attach toolu_1`/);
      update({ content: begin.content, _meta: { terminal_exit: { terminal_id, exit_code: 2 } } });
      const ended = await wire.editor.hearsMessage(
        ({ params }) => params.update._meta?.terminal_exit,
      );
      expect(textIn(ended)).toMatch(/two\n```\nexited 2/);
    });

    it('belong to their conversation, even if another has the same ids', async () => {
      for (const conversation of ['s', 'other']) {
        update(begin, conversation);
        const data = `of ${conversation}\n`;
        update({ _meta: { terminal_output: { terminal_id, data } } }, conversation);
      }
      await wire.editor.hearsMessage((each) => textIn(each).includes('of other'));
      update({ status: 'completed', content: begin.content });
      const again = await wire.editor.hearsMessage(({ params }) => params.update.status);
      expect(textIn(again)).toContain('of s\n');
    });

    it('have no session before their command runs, and are then called by it', async () => {
      // As claude-agent-acp announces a command for which the editor asks its person.
      update({ ...begin, title: 'Terminal', status: 'pending' });
      const pending = await wire.editor.hearsMessage(() => true);
      expect(textIn(pending)).toBe('its command has not run');
      update({ title: 'make all' });
      await wire.editor.hearsMessage(({ params }) => params.update.title === 'make all');
      expect(await coordinator.list()).toEqual([]);
      update({ _meta: { terminal_output: { terminal_id, data: 'one\n' } } });
      const shown = await wire.editor.hearsMessage((each) => textIn(each).includes('one'));
      expect(textIn(shown)).toContain('running · `vtr attach toolu_1`');
      expect(await coordinator.list()).toMatchObject([{ name: 'toolu_1', program: 'make all' }]);
    });

    it('begin when they have run in silence for a while', async () => {
      const clock = new VirtualClock();
      await wire.end();
      wire = new AcpWire(coordinator, { timers: clock }).listen();
      update({ ...begin, status: 'pending' });
      update({ status: 'in_progress' });
      await wire.editor.hearsMessage(({ params }) => params.update.status === 'in_progress');
      clock.advance(999);
      expect(await coordinator.list()).toEqual([]);
      clock.advance(1);
      await expect.poll(async () => (await coordinator.list()).length).toBe(1);
    });

    describe('about which the editor asks its person', () => {
      const options = [
        { optionId: 'yes', name: 'Allow', kind: 'allow_once' },
        { optionId: 'no', name: 'Reject', kind: 'reject_once' },
      ];
      const ask = async () => {
        // As codex-acp 2.6 does: it says that the command runs, and asks then.
        update({ ...begin, status: 'in_progress' });
        const toolCall = { toolCallId: 'toolu_1', status: 'pending', content: begin.content };
        wire.agent.tell({
          jsonrpc: '2.0',
          id: 7,
          method: 'session/request_permission',
          params: { sessionId: 's', toolCall, options },
        });
        return wire.editor.hearsMessage(({ method }) => method === 'session/request_permission');
      };
      const answer = async (outcome: object) => {
        wire.editor.tell({ jsonrpc: '2.0', id: 7, result: { outcome } });
        await wire.agent.answerTo(7);
      };

      it('begin when it allows them', async () => {
        const { params } = await ask();
        expect(params.toolCall.content[0].content.text).toBe('its command has not run');
        expect(await coordinator.list()).toEqual([]);
        await answer({ outcome: 'selected', optionId: 'yes' });
        await expect.poll(async () => (await coordinator.list()).length).toBe(1);
      });

      it.each([
        ['rejects', { outcome: 'selected', optionId: 'no' }],
        ['cancels', { outcome: 'cancelled' }],
      ])('never begin when it %s', async (_name, outcome) => {
        await ask();
        await answer(outcome);
        // As claude-agent-acp ends the tool call: with its own words as output.
        update({ _meta: { terminal_output: { terminal_id, data: 'User refused' } } });
        update({
          status: 'failed',
          content: begin.content,
          _meta: { terminal_exit: { terminal_id, exit_code: null, signal: null } },
        });
        const ended = await wire.editor.hearsMessage(({ params }) => {
          return params?.update?.status === 'failed';
        });
        expect(textIn(ended)).toBe('```\nUser refused\n```\nits command has not run');
        expect(await coordinator.list()).toEqual([]);
      });
    });

    it('leave no session if the agent itself does not run the command', async () => {
      update({ ...begin, status: 'in_progress' });
      update({ status: 'failed', _meta: { terminal_exit: { terminal_id, exit_code: null } } });
      await wire.editor.hearsMessage(({ params }) => params.update.status === 'failed');
      expect(await coordinator.list()).toEqual([]);
    });

    it('lose their session if a command that was silent did not run', async () => {
      const clock = new VirtualClock();
      await wire.end();
      wire = new AcpWire(coordinator, { timers: clock }).listen();
      update({ ...begin, status: 'in_progress' });
      await wire.editor.hearsMessage(({ params }) => params.update.status === 'in_progress');
      clock.advance(1000);
      await expect.poll(async () => (await coordinator.list()).length).toBe(1);
      update({ status: 'failed', _meta: { terminal_exit: { terminal_id, exit_code: null } } });
      await expect.poll(() => coordinator.list()).toEqual([]);
    });

    it('have no session if their command is denied', async () => {
      update({ ...begin, status: 'pending' });
      update({ status: 'failed', content: begin.content });
      const denied = await wire.editor.hearsMessage(
        ({ params }) => params.update.status === 'failed',
      );
      expect(textIn(denied)).toBe('its command has not run');
      await wire.end();
      expect(await coordinator.list()).toEqual([]);
      wire = new AcpWire(coordinator).listen();
    });

    it('end also by an unknown signal', async () => {
      update(begin);
      update({ _meta: { terminal_exit: { terminal_id, signal: '\x1b[31m' } } });
      const { exitStatus } = await waitFor('toolu_1');
      expect(exitStatus).toEqual({ code: null, signal: 'SIGHUP' });
    });

    it('are left to an editor that can show them', async () => {
      const clientCapabilities = { _meta: { terminal_output: true } };
      const params = { protocolVersion: 1, clientCapabilities };
      wire.editor.tell({ jsonrpc: '2.0', id: 0, method: 'initialize', params });
      await wire.agent.hearsMessage(({ method }) => method === 'initialize');
      update(begin);
      const { params: message } = await wire.editor.hearsMessage(() => true);
      expect(message.update).toEqual({ toolCallId: 'toolu_1', ...begin });
      update({ _meta: { terminal_output: { terminal_id, data: 'one\n' } } });
      await expect.poll(async () => (await coordinator.list()).length).toBe(1);
    });
  });

  describe('of the draft of version 2', () => {
    const data = (text: string) => Buffer.from(text).toString('base64');
    const tell = (fields: object) => {
      const update = { terminalId: 'shell-1', ...fields };
      const params = { sessionId: 's', update };
      wire.agent.tell({ jsonrpc: '2.0', method: 'session/update', params });
    };

    it('become read-only sessions, and pass on unchanged', async () => {
      const size = { cols: 40, rows: 5 };
      tell({ sessionUpdate: 'terminal_update', command: 'top -b', cwd: '/', size });
      tell({ sessionUpdate: 'terminal_output_chunk', data: data('one\r\ntwo\r\n') });
      await wire.editor.hearsMessage(({ params }) => params.update.data !== undefined);
      expect(await coordinator.wait('shell-1', { screen: ['two'] })).toMatchObject({
        outcome: 'matched',
      });
      expect(await coordinator.info('shell-1')).toMatchObject({
        fedBy: 'an agent',
        program: 'top -b',
        cwd: '/',
        size,
        lifetime: { keepExitedMs: 60_000 },
      });
      tell({ sessionUpdate: 'terminal_update', output: { data: data('anew\r\n') } });
      tell({ sessionUpdate: 'terminal_update', exitStatus: { exitCode: null, signal: 'SIGTERM' } });
      expect((await coordinator.wait('shell-1')).exitStatus).toEqual({
        code: null,
        signal: 'SIGTERM',
      });
      expect((await coordinator.screen('shell-1')).text.slice(0, 2)).toEqual(['anew', '']);
      expect(wire.editor.messages).toHaveLength(4);
    });

    it('get another name if a session has theirs', async () => {
      const taken = await coordinator.publish({ name: 'shell-1', by: 'somebody' });
      tell({ sessionUpdate: 'terminal_output_chunk', data: data('x') });
      await expect.poll(async () => (await coordinator.list()).length).toBe(2);
      const [, other] = await coordinator.list();
      expect(other?.name).toMatch(/^sess_/);
      await taken.close();
    });
  });
});
