import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { tree } from '../../../../test/support/tree.ts';
import { encodeFrame, type FrameType, frameTypes } from '../frames/frame.ts';
import { RemoteCoordinator } from './remote-coordinator.ts';

/** A client of a coordinator that answers its calls, which have numbers from 1, with these frames. */
async function answered(
  answer: (call: number) => readonly [type: FrameType, payload?: Uint8Array],
): Promise<RemoteCoordinator> {
  const socket = join(tree(), 'vtr.sock');
  let calls = 0;
  const server = createServer((connection) => {
    connection.write(encodeFrame(frameTypes.hello, 0));
    connection.on('data', (bytes) => {
      if (!/List|Info|Kill/.test(bytes.toString('latin1'))) return;
      const [type, payload] = answer(++calls);
      connection.write(encodeFrame(type, calls, payload));
    });
  });
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  const coordinator = new RemoteCoordinator({ socket, recover: async () => true });
  onTestFinished(async () => {
    await coordinator.close();
    server.close();
  });
  return coordinator;
}

it('a call whose answer cannot be decoded fails, and the connection goes on', async () => {
  let calls = 0;
  const coordinator = await answered((call) => {
    calls = call;
    // A session of 9 bytes, of which there is one; then nothing, which is an empty list.
    return [frameTypes.answer, Uint8Array.from(call < 3 ? [0x0a, 9, 0] : [])];
  });
  const refused = {
    code: 'UNAVAILABLE',
    message: expect.stringMatching(/cannot read an answer/),
    details: { reason: 'PROTOCOL' },
  };
  await expect(coordinator.list()).rejects.toMatchObject(refused);
  await expect(coordinator.info('one')).rejects.toMatchObject(refused);
  expect(await coordinator.list()).toEqual([]);
  expect(calls).toBe(3);
});

it('a call that ends without an answer fails', async () => {
  const coordinator = await answered(() => [frameTypes.end]);
  const failed = { code: 'UNAVAILABLE', details: { reason: 'PROTOCOL' } };
  await expect(coordinator.list()).rejects.toMatchObject(failed);
  await expect(coordinator.kill('one')).rejects.toMatchObject(failed);
});

it.each(['', 'null', '[]', '7', '{"code":', '{"code":7,"message":null,"details":[]}'])(
  'a call whose failure is not one fails: %s',
  async (json) => {
    const coordinator = await answered(() => [frameTypes.failure, Buffer.from(json)]);
    await expect(coordinator.kill('one')).rejects.toMatchObject({
      ...{ code: 'UNAVAILABLE', details: { reason: 'PROTOCOL' } },
    });
  },
);
