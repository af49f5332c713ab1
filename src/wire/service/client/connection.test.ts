import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { tree } from '../../../../test/support/tree.ts';
import { encodeFrame, frameTypes } from '../frames/frame.ts';
import { RemoteCoordinator } from './remote-coordinator.ts';

it('a call whose answer cannot be decoded fails, and the connection goes on', async () => {
  const socket = join(tree(), 'vtr.sock');
  let calls = 0;
  const server = createServer((connection) => {
    connection.write(encodeFrame(frameTypes.hello, 0));
    connection.on('data', (bytes) => {
      if (!bytes.includes('List') && !bytes.includes('Info')) return;
      // A session of 9 bytes, of which there is one; then nothing, which is an empty list.
      const answer = ++calls < 3 ? Uint8Array.of(0x0a, 9, 0) : new Uint8Array(0);
      connection.write(encodeFrame(frameTypes.answer, calls, answer));
    });
  });
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  const coordinator = new RemoteCoordinator({ socket, recover: async () => true });
  onTestFinished(async () => {
    await coordinator.close();
    server.close();
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
