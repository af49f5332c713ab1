import { expect, it } from 'vitest';
import { encodeUtf8 } from '#base';
import { TtyDecoder } from '#tty';
import { VirtualClock } from '../../../../test/support/virtual-clock.ts';
import { AwaitedAnswers } from './awaited-answers.ts';

const attributes = '\x1b[?1;2c';
const mode = '\x1b[?2026;1$y';
const status = '\x1b[0n';
const mouse = '\x1b[<35;3;3M';

/** A terminal that answers with some bytes, each after 1 ms. */
function answering(text: string) {
  const clock = new VirtualClock();
  const answers = new AwaitedAnswers(clock);
  const decoder = new TtyDecoder();
  let rest = encodeUtf8(text);
  const device = {
    readNow(waitMs: number, take: (byte: Uint8Array) => boolean) {
      const untilMs = clock.nowMs() + waitMs;
      for (let wants = true; wants && clock.nowMs() < untilMs; clock.advance(1)) {
        if (rest.length > 0) wants = take(rest.subarray(0, 1));
        rest = rest.subarray(1);
      }
    },
  };
  return {
    clock,
    answers,
    device: {
      readSoon: async (waitMs: number, take: (byte: Uint8Array) => boolean) =>
        device.readNow(waitMs, take),
    },
    decoder,
    hears: (bytes: string) => answers.add(decoder.feed(encodeUtf8(bytes))),
    /** Returns the kinds of what was read, how long that took, and what was left. */
    leave(mostMs?: number) {
      const beginMs = clock.nowMs();
      const { events } = answers.readNow(device, decoder, mostMs);
      const kinds = events.map((event) => (event.type === 'reply' ? event.reply.of : event.type));
      return { kinds, ms: clock.nowMs() - beginMs, rest: Buffer.from(rest).toString() };
    },
  };
}

it('nothing is read from a terminal that was not asked, or has answered', () => {
  const { answers, leave, hears } = answering('typed');
  expect(leave()).toEqual({ kinds: [], ms: 0, rest: 'typed' });
  answers.probe();
  expect(hears(mode)).toBeNull();
  expect(hears(attributes)?.map(({ of }) => of)).toEqual(['mode', 'attributes']);
  expect(leave()).toEqual({ kinds: [], ms: 0, rest: 'typed' });
});

it('answers are read up to the last one, and not what was typed after it', () => {
  const { answers, leave } = answering(`${mode}x${attributes}typed`);
  answers.probe();
  const { kinds, rest } = leave();
  expect(kinds).toEqual(['mode', 'key', 'attributes']);
  expect(rest).toBe('typed');
});

it('an answer is completed of which the beginning was read before', () => {
  const { answers, leave, hears } = answering(`${attributes.slice(3)}typed`);
  answers.probe();
  hears(attributes.slice(0, 3));
  expect(leave()).toMatchObject({ kinds: ['attributes'], rest: 'typed' });
});

it('a later answer ends the wait for one that the terminal does not give', () => {
  const { answers, leave } = answering(`${status}typed`);
  answers.probe();
  answers.ask('status');
  expect(leave()).toMatchObject({ kinds: ['status'], rest: 'typed' });
});

it.each([
  ['a second', 1_200, undefined, 1_000],
  ['the time that is given', 1_200, 300, 300],
  ['no time, once it has not answered for long', 5_000, undefined, 0],
])('a terminal without an answer is waited for: %s', (_, leavesMs, mostMs, ms) => {
  const { clock, answers, leave } = answering(mode);
  answers.probe();
  clock.advance(leavesMs);
  expect(leave(mostMs).ms).toBe(ms);
});

it('more reports are expected for a second after one, of a terminal that answers', () => {
  const { clock, answers, hears } = answering('');
  answers.probe();
  hears(mouse);
  expect(answers.mayReport).toBe(false);
  hears(attributes);
  expect(answers.mayReport).toBe(true);
  clock.advance(1_000);
  expect(answers.mayReport).toBe(false);
  hears('x');
  expect(answers.mayReport).toBe(false);
});

it('what has not come is awaited once', async () => {
  const { answers, device, decoder, leave } = answering(`${mode}x`);
  answers.probe();
  const late = await answers.readSoon(device, decoder);
  expect([late.isTyped, late.events.length]).toEqual([true, 2]);
  expect(leave().ms).toBe(0);
});
