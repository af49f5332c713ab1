import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SimulatedProcess } from '../../../test/support/flow/simulated-process.ts';
import { runs } from '../../../test/support/run/runs.ts';
import { encodeFrame, type Frame, FrameReader, flooding } from './frames.ts';
import { FrameTurns, ReceivedFrames } from './received-frames.ts';

interface Sent {
  readonly session: number;
  readonly floods: boolean;
  readonly type: 'data' | 'resized' | 'exited';
}

/** Sends frames with their numbers; returns the turns, and what was handled of which session. */
function receiver(costMs = 0) {
  const handled: { session: number; number: number }[] = [];
  let nowMs = 0;
  const handle = ({ session, payload }: Frame) => {
    handled.push({ session, number: payload[0] ?? 0 });
    nowMs += costMs;
  };
  const turns = new FrameTurns(handle, () => nowMs);
  const reader = new FrameReader((frame) => turns.add(frame.session, frame));
  const receive = (chunk: Buffer) => {
    // As a socket, which uses its buffer again.
    const buffer = Buffer.from(chunk);
    reader.push(buffer);
    turns.keep();
    buffer.fill(0xff);
  };
  const advance = (ms: number) => {
    nowMs += ms;
  };
  return { handled, turns, receive, advance };
}

const encode = (frames: readonly Sent[]): Buffer =>
  Buffer.concat(
    frames.map(({ session, floods, type }, number) =>
      encodeFrame(type, { session, flags: floods ? flooding : 0 }, Uint8Array.of(number)),
    ),
  );

const echo: Sent = { session: 9, floods: false, type: 'data' };
const flood = (session: number): Sent => ({ session, floods: true, type: 'data' });

describe('frames of sessions', () => {
  it('[law 6] are handled in their order in each session, all of them, in any chunks', () => {
    const frame = fc.record({
      session: fc.integer({ min: 1, max: 4 }),
      floods: fc.boolean(),
      type: fc.constantFrom('data', 'resized', 'exited'),
    });
    fc.assert(
      fc.property(
        fc.array(frame, { maxLength: 40 }),
        fc.array(fc.record({ cut: fc.nat(), runs: fc.boolean() }), { maxLength: 10 }),
        (frames, steps) => {
          const { handled, turns, receive } = receiver(0.2);
          const bytes = encode(frames as readonly Sent[]);
          let at = 0;
          for (const { cut, runs: isTurn } of [...steps, { cut: bytes.length, runs: false }]) {
            const end = Math.min(bytes.length, at + cut);
            receive(bytes.subarray(at, end));
            at = end;
            if (isTurn) turns.run();
          }
          turns.drain();
          expect(turns.isEmpty && turns.bytes === 0).toBe(true);
          for (let session = 1; session <= 4; session++) {
            const numbers = handled.filter((each) => each.session === session);
            const ownFrames = frames.flatMap((each, number) =>
              each.session === session ? { session, number } : [],
            );
            expect(numbers).toEqual(ownFrames);
          }
        },
      ),
      runs(200),
    );
  });

  it('[law 5] that do not flood are handled before those that do and arrived earlier', () => {
    const { handled, turns, receive } = receiver(1);
    receive(encode([flood(1), flood(1), flood(2), echo]));
    expect(handled.map(({ session }) => session)).toEqual([9]);
    turns.run();
    receive(encode([flood(2), echo]));
    turns.run();
    expect(handled.map(({ session }) => session)).toEqual([9, 1, 9, 2]);
  });

  it('[law 5] of sessions that flood are handled in turns, for a slice at a time', () => {
    const { handled, turns, receive } = receiver(0.2);
    receive(encode([flood(1), flood(1), flood(1), flood(1), flood(2), flood(3)]));
    turns.run();
    expect(handled.map(({ session }) => session)).toEqual([1, 2, 3]);
    turns.run();
    expect(handled.map(({ session }) => session)).toEqual([1, 2, 3, 1, 1, 1]);
  });

  it('[law 5] of sessions that flood get a third of the time next to others that need it', () => {
    const { handled, turns, receive, advance } = receiver(0.2);
    receive(encode(Array.from({ length: 60 }, () => flood(1))));
    turns.run();
    expect(handled).toHaveLength(3);
    advance(4);
    turns.run();
    expect(handled).toHaveLength(13);
    // Others are not delayed by more than 5 ms.
    advance(1_000);
    turns.run();
    expect(handled).toHaveLength(38);
  });
});

it('an echo is told before floods that arrived with it are handled, and floods that follow an input after its echo', () => {
  const loop = new SimulatedProcess();
  const log: string[] = [];
  const frames: ReceivedFrames = new ReceivedFrames({
    loop,
    sessionOf: ({ session }) => session,
    handle: ({ session }) => {
      log.push(`${session} handled`);
      // What is told to clients follows in a microtask, here with the end of the call.
      if (session === 9) frames.consume(session, 1, false);
    },
    acknowledge() {},
    resume() {},
    onFault(error) {
      throw error;
    },
  });
  for (const session of [1, 2, 9]) frames.addSession(session, 0);
  const receive = (...batch: Sent[]) => {
    frames.receive(encode(batch));
    log.push('told');
  };
  const turns = () => {
    for (let count = 0; count < 5 && loop.nextMs < loop.nowMs() + 1; count++) loop.turn();
  };
  receive(flood(1), echo, flood(2));
  turns();
  expect(log.splice(0)).toEqual(['9 handled', 'told', '1 handled', '2 handled']);
  frames.typed(9);
  receive(flood(1));
  turns();
  expect(log.splice(0)).toEqual(['told']);
  receive(echo);
  turns();
  expect(log.splice(0)).toEqual(['9 handled', 'told', '1 handled']);
});
