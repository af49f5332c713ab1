import { expect, it } from 'vitest';
import { encodeUtf8 } from '#base';
import { eraseOutput, type SubscriptionEvent, type Viewing } from '#model';
import { RecordingPage } from '../../../../test/support/web/page-socket.ts';
import { noSessions } from '../../../../test/support/web/silent-calls.ts';
import {
  AlisStream,
  endMessage,
  exitMessage,
  initMessage,
  magic,
  outputMessage,
  resizeMessage,
} from './alis-stream.ts';

/** A player that keeps what it gets. */
class Player extends RecordingPage {
  readonly messages: Uint8Array[] = [];

  override send(message: string | Uint8Array): void {
    this.messages.push(message as Uint8Array);
  }
}

const at = (atMs: number) => ({ revision: 1, atMs });
const [first, rest] = [encodeUtf8('ü').subarray(0, 1), encodeUtf8('ü!').subarray(1)];

const events: readonly SubscriptionEvent[] = [
  {
    type: 'snapshot',
    ...at(1000),
    size: { cols: 80, rows: 24 },
    dump: encodeUtf8('$ '),
    firstLine: 0,
    offset: 2,
  },
  { type: 'output', ...at(1002), offset: 2, bytes: first },
  { type: 'bell', ...at(1003), count: 1 },
  { type: 'output', ...at(1005), offset: 3, bytes: rest },
  { type: 'resize', ...at(1006), size: { cols: 90, rows: 30 }, erasedFrom: { row: 2, col: 3 } },
  { type: 'exit', ...at(1007), status: { code: null, signal: 'SIGKILL' } },
];

it('a player gets the state, whole characters, sizes, and how the program ended', async () => {
  const player = new Player();
  const requests: unknown[] = [];
  let views = 0;
  const stream = new AlisStream(
    player,
    {
      ...noSessions,
      async subscribe(session, request) {
        requests.push(session, request);
        return Object.assign(
          (async function* () {
            yield* events;
          })(),
          { dispose: () => {} },
        );
      },
      async view() {
        views++;
        return { dispose: async () => void views-- } as Partial<Viewing> as Viewing;
      },
    },
    { id: 'id-1', redact: true, client: { kind: 'share' } },
  );
  await stream.run();
  expect(requests).toEqual([
    { name: '', id: 'id-1' },
    { scrollbackLines: 0, redact: true },
  ]);
  expect(player.messages.map((each) => [...each])).toEqual(
    [
      magic,
      initMessage({ cols: 80, rows: 24, init: encodeUtf8('$ ') }),
      outputMessage(1, 5000, encodeUtf8('ü!')),
      outputMessage(2, 1000, encodeUtf8(eraseOutput({ row: 2, col: 3 }))),
      resizeMessage(3, 0, { cols: 90, rows: 30 }),
      exitMessage(4, 1000, 137),
      endMessage,
    ].map((each) => [...each]),
  );
  expect([player.closedWith?.[0], views]).toEqual([4000, 1]);
  stream.end();
  await expect.poll(() => views).toBe(0);
});
