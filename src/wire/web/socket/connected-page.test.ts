import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import type { WebSocket } from 'ws';
import { VirtualClock } from '../../../../test/support/virtual-clock.ts';
import { noSessions, silentCalls } from '../../../../test/support/web/silent-calls.ts';
import { WebAccess } from '../access/web-access.ts';
import { ConnectedPage } from './connected-page.ts';
import { HalfMessages } from './half-messages.ts';

const dayMs = 24 * 60 * 60 * 1000;

/** A client that answers each ping at once. */
class Client extends EventEmitter {
  readonly bufferedAmount = 0;
  closed: number | null = null;

  ping(): void {
    this.emit('pong', Buffer.alloc(0));
  }

  close(code: number): void {
    this.closed ??= code;
  }

  terminate(): void {
    this.emit('close');
  }
}

it('[S3.32] a page stays connected for the whole time of its share, also of a long one', () => {
  const clock = new VirtualClock();
  const access = new WebAccess({ clock });
  const { share } = access.share(
    { id: 'id-1', name: 'a', begin: { line: 0, command: 0 } },
    { forMs: 30 * dayMs },
  );
  const client = new Client();
  new ConnectedPage(client as unknown as WebSocket, {
    socket: new PassThrough(),
    request: { share, sessionId: null, login: null },
    access,
    calls: silentCalls,
    sessions: noSessions,
    halves: new HalfMessages(),
    others: new Map(),
    clock,
    onFile: () => {},
    onRefused: () => {},
  });
  clock.advance(30 * dayMs - 1);
  expect(client.closed).toBeNull();
  clock.advance(1);
  expect(client.closed).toBe(4001);
  // It does not take the end.
  clock.advance(250);
  expect(clock.pending).toBe(0);
});
