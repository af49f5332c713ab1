import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LocalCoordinator } from '#coordinator';
import { frame, RawAgent } from '../support/acp/raw-agent.ts';
import { chunkings } from '../support/vt/chunkings.ts';

describe('terminals on the wire', () => {
  let coordinator: LocalCoordinator;
  let agent: RawAgent;

  beforeEach(() => {
    coordinator = new LocalCoordinator();
    agent = new RawAgent({ coordinator });
  });

  afterEach(async () => {
    await agent.die();
    await coordinator.close();
  });

  const shell = (line: string) => ({ command: 'sh', args: ['-c', line] });

  async function created(line: string): Promise<string> {
    const { result } = await agent.answer('create', 'terminal/create', shell(line));
    return result.terminalId;
  }

  /** The client still answers requests. */
  async function expectToWork(): Promise<void> {
    const terminalId = await created('echo works');
    const exit = await agent.answer('w', 'terminal/wait_for_exit', { terminalId });
    expect(exit).toEqual({ jsonrpc: '2.0', id: 'w', result: { exitCode: 0, signal: null } });
    const { result } = await agent.answer('o', 'terminal/output', { terminalId });
    expect(result.output).toBe('works\n');
  }

  it.each(Object.entries(chunkings))('accept frames in chunks: %s', async (_name, cut) => {
    const requests = ['ä', '€', '😀'].map((text) =>
      frame(text, 'terminal/create', shell(`printf %s '${text}'`)),
    );
    for (const chunk of cut(Buffer.from(requests.join('')))) agent.write(chunk);
    const answers = await agent.next(3);
    expect(answers.map(({ id }) => id).sort()).toEqual(['ä', '€', '😀'].sort());
    for (const { id, result } of answers) {
      await agent.answer(1, 'terminal/wait_for_exit', result);
      const read = await agent.answer(2, 'terminal/output', result);
      expect(read.result.output).toBe(id);
    }
  });

  it('accept both kinds of line ends, and empty lines', async () => {
    agent.write(`\r\n\n${frame(1, 'terminal/create', shell('cat')).replace('\n', '\r\n')}\n`);
    expect(await agent.next()).toMatchObject([
      { id: 1, result: { terminalId: expect.stringMatching(/^term_/) } },
    ]);
    await expectToWork();
  });

  it('accept a frame of 10 MB, and answer with one', async () => {
    const padding = 'ä'.repeat(5_000_000);
    const request = { ...shell('yes 0123456789abcde | head -c 4194304'), outputByteLimit: 2 ** 32 };
    const { result } = await agent.answer(1, 'terminal/create', { ...request, _meta: { padding } });
    await agent.answer(2, 'terminal/wait_for_exit', result);
    const read = await agent.answer(3, 'terminal/output', result);
    expect(read.result).toMatchObject({ truncated: false, exitStatus: { exitCode: 0 } });
    expect(read.result.output).toBe('0123456789abcde\n'.repeat(2 ** 18));
  });

  it.each([
    ['no JSON', 'nonsense\n', -32700],
    ['half a frame', '{"jsonrpc":"2.0","id":1,"method":"termi\n', -32700],
    ['a batch', `[${frame(1, 'terminal/create', shell('true')).trimEnd()}]\n`, -32600],
    ['a number', '1\n', -32600],
    ['an object that is not a message', '{"a":1}\n', -32600],
  ])('go on after %s', async (_what, bytes, code) => {
    agent.write(bytes);
    expect(await agent.next()).toMatchObject([{ id: null, error: { code } }]);
    await expectToWork();
  });

  it('continue after an unknown method, and after answers without a request', async () => {
    const said = vi.spyOn(console, 'error').mockImplementation(() => {});
    agent.write('{"jsonrpc":"2.0","id":99,"result":{}}\n');
    agent.write('{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":98}}\n');
    agent.write('{"jsonrpc":"2.0","method":"terminal/unknown","params":{}}\n');
    expect(await agent.answer(1, 'terminal/resize', {})).toMatchObject({ error: { code: -32601 } });
    await expectToWork();
    expect(agent.waiting).toEqual([]);
    expect(said).toHaveBeenCalledExactlyOnceWith('Got response to unknown request', 99);
    said.mockRestore();
  });

  it('are answered as results arrive, in any order', async () => {
    const slow = await created('read line; exit 1');
    const fast = await created('exit 2');
    agent.request('slow', 'terminal/wait_for_exit', { terminalId: slow });
    agent.request('fast', 'terminal/wait_for_exit', { terminalId: fast });
    expect(await agent.next()).toMatchObject([{ id: 'fast', result: { exitCode: 2 } }]);
    await coordinator.sendText(slow, '\r');
    expect(await agent.next()).toMatchObject([{ id: 'slow', result: { exitCode: 1 } }]);
  });

  it('stop waiting when cancelled, and answer once', async () => {
    const terminalId = await created('read line; exit 7');
    agent.request(5, 'terminal/wait_for_exit', { terminalId });
    agent.write('{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":5}}\n');
    expect(await agent.next()).toMatchObject([{ id: 5, error: { code: -32800 } }]);
    await coordinator.sendText(terminalId, '\r');
    const exit = await agent.answer(6, 'terminal/wait_for_exit', { terminalId });
    expect(exit).toMatchObject({ id: 6, result: { exitCode: 7 } });
    expect(agent.waiting).toEqual([]);
  });

  it('end with an agent that dies in the middle of a frame, whatever is in progress', async () => {
    const terminals = [await created('cat'), await created('trap "" HUP; sleep 1000')];
    agent.request(1, 'terminal/wait_for_exit', { terminalId: terminals[0] });
    for (let id = 2; id < 12; id++) agent.request(id, 'terminal/create', shell('sleep 1000'));
    agent.write(frame(12, 'terminal/create', shell('sleep 1000')).slice(0, 40));
    await agent.die();
    const states = (await coordinator.list()).map(({ state }) => state);
    expect(states.length).toBeGreaterThanOrEqual(terminals.length);
    expect(new Set(states)).toEqual(new Set(['exited']));
  });
});
