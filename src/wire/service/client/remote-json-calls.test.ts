import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { silentReason } from '#model';
import { tree } from '../../../../test/support/tree.ts';
import { remoteJsonCalls } from './remote-json-calls.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'hrtime'] });
});
afterEach(() => {
  vi.useRealTimers();
});

it('calls and streams of a coordinator that does not respond fail, as for other clients', async () => {
  const socket = join(tree(), 'vtr.sock');
  const open: Socket[] = [];
  const server = createServer((connection) => open.push(connection));
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  const connection = remoteJsonCalls(socket).connect();
  onTestFinished(() => {
    connection.close();
    for (const each of open) each.destroy();
    server.close();
  });
  const silent = expect.objectContaining({
    code: 'UNAVAILABLE',
    details: expect.objectContaining({ reason: silentReason }),
  });
  const results = [connection.unary('List', {}), connection.stream('WatchSessions', {}).next()].map(
    (each) => expect(each).rejects.toEqual(silent),
  );
  // The limit grows with the load of the machine, up to ten times.
  await vi.advanceTimersByTimeAsync(60_000);
  await Promise.all(results);
});
