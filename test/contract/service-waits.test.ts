import { type Client, Code, createClient } from '@connectrpc/connect';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { VTR, WaitOutcome } from '#messages';
import { type ServedCoordinator, serveCoordinator } from '../support/service/served-coordinator.ts';
import { wireTransport } from '../support/service/wire-client.ts';

/** Longer than any successful test, in ms. */
const longMs = 60_000;
/** Time for something that must not happen, in ms. */
const momentMs = 100;

describe('waits of the service', () => {
  let served: ServedCoordinator;
  let client: Client<typeof VTR>;

  beforeEach(async () => {
    served = await serveCoordinator();
    client = createClient(VTR, wireTransport(served));
    const script = 'stty -echo; echo ready; while read -r line; do echo "$line"; done';
    await served.local.spawn({ name: 'one', program: 'sh', args: ['-c', script] });
    await served.local.wait('one', { screen: ['ready'] });
  });
  afterEach(() => served.end());

  const never = { match: ['never'], timeout: { seconds: 60n } };
  const waits: readonly [string, () => Promise<unknown>][] = [
    ['Wait', () => client.wait({ name: 'one', wait: never }, { timeoutMs: momentMs })],
    [
      'SendText',
      () => client.sendText({ name: 'one', text: 'x\n', wait: never }, { timeoutMs: momentMs }),
    ],
    [
      'SendKey',
      () => client.sendKey({ name: 'one', key: 'x', wait: never }, { timeoutMs: momentMs }),
    ],
    ['RunCommand', () => client.runCommand({ name: 'one', line: 'x' }, { timeoutMs: momentMs })],
  ];

  it.each(waits)(
    '%s ends without an answer at its deadline, and the session is not affected',
    async (_name, call) => {
      await expect(call()).rejects.toMatchObject({ code: Code.DeadlineExceeded });
      const wait = { match: ['^after$'], timeoutMs: longMs };
      const result = await served.local.sendText('one', '\nafter\n', { wait });
      expect(result.wait?.outcome).toBe('matched');
    },
  );

  it('answer with a timeout', async () => {
    const wait = { match: ['never'], timeout: { nanos: momentMs * 1_000_000 } };
    const { result } = await client.wait({ name: 'one', wait });
    expect(result).toMatchObject({
      outcome: WaitOutcome.TIMED_OUT,
      timeout: { seconds: 0n, nanos: momentMs * 1_000_000 },
      mark: expect.stringMatching(/^r1-/),
    });
  });

  it('without conditions end with the exit', async () => {
    const waiting = client.wait({ name: 'one' });
    await served.local.kill('one', 'KILL');
    expect((await waiting).result).toMatchObject({
      outcome: WaitOutcome.EXITED,
      exitStatus: { signal: 'SIGKILL' },
    });
  });

  it('of input do not delay later input', async () => {
    const wait = { match: ['^second$'], timeout: { seconds: 20n } };
    const first = client.sendText({ name: 'one', text: 'first\n', wait });
    const second = client.sendText({ name: 'one', text: 'second\n' });
    const [{ wait: end, mark }, later] = await Promise.all([first, second]);
    expect(end?.outcome).toBe(WaitOutcome.MATCHED);
    expect(later.wait).toBeUndefined();
    const { text } = await client.read({ name: 'one', since: mark });
    expect(text?.tail).toMatch(/first\nsecond$/);
  });

  it('of the specification behave as the same wait', async () => {
    const matching = client.waitFor({ name: 'one', pattern: '^(it) came' });
    const idle = client.waitForIdle({ name: 'one', idleDuration: { nanos: 100_000_000 } });
    await client.sendText({ name: 'one', text: 'it came\n' });
    expect(await matching).toMatchObject({
      matched: true,
      matchedLine: 'it came',
      matchedText: 'it came',
      timedOut: false,
      end: { outcome: WaitOutcome.MATCHED },
    });
    expect(await idle).toMatchObject({ idle: true, end: { outcome: WaitOutcome.IDLE } });
  });
});
