import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished } from 'vitest';
import { provided } from '../../test/support/run/needs.ts';
import { tree } from '../../test/support/tree.ts';
import { peerPid, peerUid } from './index.ts';

describe('the peer of a connection', () => {
  const onLinux = provided(process.platform === 'linux', 'only on Linux');

  onLinux(
    'is the process that connected and its user, and null once the connection has ended',
    async () => {
      const server = createServer().listen(join(tree(), 'socket'));
      onTestFinished(() => void server.close());
      await once(server, 'listening');
      const client = connect(server.address() as string);
      const [connection] = (await once(server, 'connection')) as [Socket];
      expect(peerUid(connection)).toBe(process.geteuid?.());
      expect(peerPid(connection)).toBe(process.pid);
      client.destroy();
      connection.destroy();
      expect(peerUid(connection)).toBeNull();
      expect(peerPid(connection)).toBeNull();
    },
  );
});
