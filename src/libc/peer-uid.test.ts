import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished } from 'vitest';
import { provided } from '../../test/support/run/needs.ts';
import { tree } from '../../test/support/tree.ts';
import { peerUid } from './index.ts';

describe('peerUid', () => {
  const onLinux = provided(process.platform === 'linux', 'only on Linux');

  onLinux(
    'is the user of the process that connected, and null once the connection has ended',
    async () => {
      const server = createServer().listen(join(tree(), 'socket'));
      onTestFinished(() => void server.close());
      await once(server, 'listening');
      const client = connect(server.address() as string);
      const [connection] = (await once(server, 'connection')) as [Socket];
      expect(peerUid(connection)).toBe(process.geteuid?.());
      client.destroy();
      connection.destroy();
      expect(peerUid(connection)).toBeNull();
    },
  );
});
