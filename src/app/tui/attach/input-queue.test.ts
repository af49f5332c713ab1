import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { encodeUtf8 } from '#base';
import { encodeText } from '#keys';
import type { Coordinator, KeyModes, Viewing } from '#model';
import { TtyDecoder } from '#tty';
import { keyModes } from '../../../../test/support/keys/key-modes.ts';
import { type Input, InputQueue, inputOf, sendInput } from './input-queue.ts';

/** A queue whose calls end when the test says so. */
function watched() {
  const calls: { input: Input; end: () => void; fail: (error: Error) => void }[] = [];
  const errors: unknown[] = [];
  const queue = new InputQueue(
    (input) =>
      new Promise((resolve, reject) => {
        calls.push({ input, end: resolve, fail: reject });
      }),
    (error) => errors.push(error),
  );
  return { queue, calls, errors };
}

const keys = (...names: string[]): Input => ({
  type: 'keys',
  keys: names.map((key) => ({ key })),
});

it('sends what is read in one turn by one call, and what is typed during it by the next, in order', async () => {
  const { queue, calls, errors } = watched();
  queue.add(keys('a'));
  queue.add(keys('b'));
  await setImmediate();
  expect(calls.map(({ input }) => input)).toEqual([keys('a', 'b')]);
  queue.add(keys('c'));
  queue.add({ type: 'paste', text: 'x' });
  queue.add(keys('d'));
  queue.add(keys('e'));
  await setImmediate();
  expect(calls).toHaveLength(1);
  for (const at of [0, 1, 2]) {
    calls[at]?.end();
    await setImmediate();
  }
  await setImmediate();
  expect(calls.slice(1).map(({ input }) => input)).toEqual([
    keys('c'),
    { type: 'paste', text: 'x' },
    keys('d', 'e'),
  ]);
  expect(errors).toEqual([]);
});

const part = (number: number): Input => ({
  type: 'paste',
  text: `part ${number}`,
  ...(number > 0 && { part: number }),
});

it('sends nothing that was typed after input that failed, and no later part of a paste', async () => {
  const { queue, calls, errors } = watched();
  for (const number of [0, 1]) queue.add(part(number));
  queue.add(keys('enter'));
  await setImmediate();
  calls[0]?.fail(new Error('refused'));
  await setImmediate();
  queue.add(part(2));
  queue.add(keys('a'));
  queue.add(part(0));
  queue.add(part(1));
  for (const at of [1, 2, 3]) {
    await setImmediate();
    calls[at]?.end();
  }
  await setImmediate();
  const inputs = calls.map(({ input }) => input);
  expect(inputs).toEqual([part(0), keys('a'), part(0), part(1)]);
  expect(errors).toEqual([new Error('refused')]);
});

it('sends an interrupt that was typed after input that failed, and what follows it', async () => {
  const { queue, calls } = watched();
  queue.add(part(0));
  await setImmediate();
  queue.add(keys('enter'));
  const interrupt = { key: 'c', ctrl: true };
  queue.add({ type: 'keys', keys: [{ key: 'a' }, interrupt, interrupt, { key: 'b' }] });
  queue.add({ type: 'focus', focused: true });
  queue.add({ type: 'paste', text: 'x' });
  queue.add(keys('c'));
  calls[0]?.fail(new Error('refused'));
  for (const at of [1, 2]) {
    await setImmediate();
    calls[at]?.end();
  }
  await setImmediate();
  expect(calls.slice(1).map(({ input }) => input)).toEqual([
    { type: 'keys', keys: [interrupt, { key: 'b' }] },
    { type: 'focus', focused: true },
  ]);
});

it.each<[string, (queue: InputQueue) => void]>([
  ['was dropped with what waited', (queue) => queue.clear()],
  ['never came', () => {}],
])('sends no later part of a paste of which a part %s', async (_, between) => {
  const { queue, calls } = watched();
  queue.add(part(0));
  between(queue);
  queue.add(part(2));
  queue.add(part(3));
  queue.add(keys('a'));
  await setImmediate();
  calls[0]?.end();
  await setImmediate();
  calls[1]?.end();
  const inputs = calls.map(({ input }) => input);
  expect(inputs.filter((input) => input.type === 'paste' && input.part !== undefined)).toEqual([]);
  expect(inputs.at(-1)).toEqual(keys('a'));
});

it('drops input, and tells so, when a program accepts none for long', async () => {
  const { queue, calls, errors } = watched();
  queue.add(keys('a'));
  await setImmediate();
  for (let count = 0; count < 300; count++) queue.add({ type: 'paste', text: `${count}` });
  expect(errors).toHaveLength(44);
  expect(queue.clear()).toBe(true);
  calls[0]?.end();
  await setImmediate();
  expect(calls).toHaveLength(1);
});

const inputFrom = (typed: string, modes: Partial<KeyModes>) =>
  new TtyDecoder().feed(encodeUtf8(typed)).map((event) => {
    if (event.type === 'paste') {
      return inputOf({ type: 'sendText', text: event.text }, keyModes(modes));
    }
    return event.type === 'key'
      ? inputOf({ type: 'sendKey', key: event }, keyModes(modes))
      : undefined;
  });

it.each<[typed: string, modes: Partial<KeyModes>, input: ReturnType<typeof inputFrom>[number]]>([
  // A command that is pasted with its line end does not run.
  ['\x1b[200~ls\r\x1b[201~', { bracketedPaste: true }, { type: 'paste', text: 'ls\r' }],
  ['\x1b[200~ls\r\x1b[201~', {}, { type: 'paste', text: 'ls\r' }],
  // Escape and a command of vim, read at once, are not alt with the first letter.
  ['\x1b:', { modifyOtherKeys: 2 }, { type: 'bytes', bytes: encodeUtf8('\x1b:') }],
  ['\x1b:', { kittyFlags: 1 }, { type: 'keys', keys: [{ key: ':', alt: true }] }],
  ['\x1b:', {}, { type: 'keys', keys: [{ key: ':', alt: true }] }],
])('%j with %j is sent as it was meant', (typed, modes, input) => {
  expect(inputFrom(typed, modes)).toEqual([input]);
});

it.each([
  ['ASCII', Buffer.alloc(2_500_000, 'abcdefg ')],
  ['CJK', Buffer.alloc(2_500_000, '日本語')],
  ['bytes that are no UTF-8', Buffer.alloc(2_500_000, 0xff)],
])('a long paste of %s is sent completely, by calls of at most 1 MiB', (_, pasted) => {
  const typed = Buffer.concat([encodeUtf8('\x1b[200~'), pasted, encodeUtf8('\x1b[201~')]);
  const pastes = new TtyDecoder()
    .feed(typed)
    .flatMap((event) => (event.type === 'paste' ? [event] : []));
  const texts = pastes.map(({ text }) => text);
  const bytes = texts.map((text) => encodeText(text, 'always', keyModes({})).length);
  expect(Math.max(...bytes)).toBeLessThanOrEqual(1024 * 1024);
  expect(texts.join('') === new TextDecoder().decode(pasted)).toBe(true);
  expect(pastes.map(({ part = 0 }) => part)).toEqual(texts.map((_, index) => index));
});

it.each([
  ['short', 'x'.repeat(100), 5_010],
  ['long', '日'.repeat(300_000), 95_000],
])('a program has the more time for a paste the longer it is: %s', async (_, text, timeoutMs) => {
  const calls: unknown[] = [];
  const coordinator = {
    sendText: async (...call: unknown[]) => void calls.push(call.at(-1)),
  } as unknown as Coordinator;
  const viewing = { id: 'v1' } as Viewing;
  const paste = { type: 'paste', text } as const;
  await sendInput({ coordinator, viewing }, { name: 'demo', id: '1' }, paste);
  expect(calls).toEqual([{ viewer: 'v1', paste: 'supported', timeoutMs }]);
});
