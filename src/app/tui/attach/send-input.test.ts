import { expect, it } from 'vitest';
import { encodeUtf8 } from '#base';
import { encodeText } from '#keys';
import type { Coordinator, KeyModes, Viewing } from '#model';
import { TtyDecoder } from '#tty';
import { keyModes } from '../../../../test/support/keys/key-modes.ts';
import { inputOf, sendInput } from './send-input.ts';

const sent = (typed: string, modes: Partial<KeyModes>) =>
  new TtyDecoder().feed(encodeUtf8(typed)).map((event) => {
    if (event.type === 'paste') {
      return inputOf({ type: 'sendText', text: event.text }, keyModes(modes));
    }
    return event.type === 'key'
      ? inputOf({ type: 'sendKey', key: event }, keyModes(modes))
      : undefined;
  });

it.each<[typed: string, modes: Partial<KeyModes>, input: ReturnType<typeof sent>[number]]>([
  // A command that is pasted with its line end does not run.
  ['\x1b[200~ls\r\x1b[201~', { bracketedPaste: true }, { type: 'paste', text: 'ls\r' }],
  ['\x1b[200~ls\r\x1b[201~', {}, { type: 'paste', text: 'ls\r' }],
  // Escape and a command of vim, read at once, are not alt with the first letter.
  ['\x1b:', { modifyOtherKeys: 2 }, { type: 'bytes', bytes: encodeUtf8('\x1b:') }],
  ['\x1b:', { kittyFlags: 1 }, { type: 'keys', keys: [{ key: ':', alt: true }] }],
  ['\x1b:', {}, { type: 'keys', keys: [{ key: ':', alt: true }] }],
])('%j with %j is sent as it was meant', (typed, modes, input) => {
  expect(sent(typed, modes)).toEqual([input]);
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
  const asked: unknown[] = [];
  const coordinator = {
    sendText: async (...call: unknown[]) => void asked.push(call.at(-1)),
  } as unknown as Coordinator;
  const viewing = { id: 'v1' } as Viewing;
  const paste = { type: 'paste', text } as const;
  await sendInput({ coordinator, viewing }, { name: 'demo', id: '1' }, paste);
  expect(asked).toEqual([{ viewer: 'v1', paste: 'supported', timeoutMs }]);
});
