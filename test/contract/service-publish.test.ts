import type { MessageInitShape } from '@bufbuild/protobuf';
import { type Client, Code, createClient } from '@connectrpc/connect';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ignored } from '#base';
import { type PublishRequestSchema, VTR } from '#messages';
import { connect } from '#wire/service';
import { type ServedCoordinator, serveCoordinator } from '../support/service/served-coordinator.ts';
import { wireTransport } from '../support/service/wire-client.ts';

const open = { step: { case: 'open', value: { name: 'shown', by: 'x' } } } as const;
const output = { step: { case: 'output', value: Buffer.from('half a line') } } as const;
const hungUp = { exitStatus: { code: null, signal: 'SIGHUP' } };

describe('Publish of the service', () => {
  let served: ServedCoordinator;
  let client: Client<typeof VTR>;

  beforeEach(async () => {
    served = await serveCoordinator();
    client = createClient(VTR, wireTransport(served));
  });
  afterEach(() => served.end());

  it('hangs the session up when its client is gone, and keeps it', async () => {
    const remote = await connect({ socket: served.socket });
    const publication = await remote.publish({ name: 'shown', by: 'x' });
    await publication.write(Buffer.from('last words'));
    await remote.close();
    expect(await served.local.wait('shown')).toMatchObject({ outcome: 'exited', ...hungUp });
    expect((await served.local.screen('shown')).text[0]).toBe('last words');
    await expect(publication.write(Buffer.from('x'))).rejects.toMatchObject({
      code: 'UNAVAILABLE',
    });
  });

  it('fails when the coordinator is shut down during the call', async () => {
    const remote = await connect({ socket: served.socket });
    const publication = await remote.publish({ by: 'x' });
    await served.local.close();
    await expect(publication.write(Buffer.from('x'))).rejects.toMatchObject({
      code: 'SESSION_NOT_RUNNING',
    });
    await remote.close();
  });

  it('keeps calls of its connection in order, and delays none of them', async () => {
    const remote = await connect({ socket: served.socket });
    const publishing = remote.publish({ name: 'shown', by: 'x' });
    // Accepted after it, although it is not awaited.
    expect((await remote.info('shown')).fedBy).toBe('x');
    await (await publishing).close();
    await remote.close();
  });

  it('delays no call for long while its first message is missing', async () => {
    let end = () => {};
    const silent = (async function* (): AsyncGenerator<Step> {
      await new Promise<void>((resolve) => {
        end = resolve;
      });
    })();
    const published = client.publish(silent)[Symbol.asyncIterator]().next();
    ignored(published, 'it is awaited below, and may fail before');
    expect((await client.list({})).sessions).toEqual([]);
    end();
    await expect(published).rejects.toMatchObject({ code: Code.InvalidArgument });
  });

  type Step = MessageInitShape<typeof PublishRequestSchema>;
  const drain = async (steps: readonly Step[]): Promise<number> => {
    const requests = (async function* () {
      yield* steps;
    })();
    let answers = 0;
    for await (const _answer of client.publish(requests)) answers++;
    return answers;
  };

  it('answers every message, and ends with the stream', async () => {
    expect(await drain([open, output, output])).toBe(3);
    expect(await served.local.info('shown')).toMatchObject({ state: 'exited', ...hungUp });
  });

  it.each<[string, readonly Step[]]>([
    ['an empty stream', []],
    ['output before the session', [output]],
    ['no step', [{ step: { case: undefined } }]],
    ['a second session', [open, open]],
    ['an empty step', [open, { step: { case: undefined } }]],
    ['an exit without a status', [open, { step: { case: 'exit', value: {} } }]],
  ])('refuses %s', async (_name, steps) => {
    await expect(drain(steps)).rejects.toMatchObject({ code: Code.InvalidArgument });
    for (const { state } of await served.local.list()) expect(state).toBe('exited');
  });
});
