import { expect, test } from 'vitest';
import { encodeUtf8 } from '#base';
import { parseCast, type RecordedEvent } from '#recording';
import { redactRecording, secretRules } from './redact-recording.ts';

const token = 'ghp_0123456789abcdefghijABCDEFGHIJ456789';
const rules = secretRules({ MY_TOKEN: 'correct horse', EDITOR: 'a-long-editor' }, ['swordfish']);

const recordingOf = (...texts: readonly string[]) => ({
  version: 3 as const,
  header: { size: { cols: 30, rows: 4 }, command: `curl ${token}`, title: 'swordfish' },
  events: texts.map((text, at): RecordedEvent => ({ type: 'output', text, atMs: at * 100 })),
});

test('secrets are in no part of the result', () => {
  const texts = [
    token.slice(0, 9),
    token.slice(9),
    '\r\ncorrect\x1b[1m horse a-long-editor',
    '\r\n',
  ];
  const redacted = redactRecording(recordingOf(...texts), rules);
  const { header, events } = parseCast(encodeUtf8(redacted));
  expect(header).toMatchObject({
    command: expect.stringMatching(/^curl ghp_•+$/),
    title: '•••••••••',
  });
  const output = events.map((event) => (event.type === 'output' ? event.text : '')).join('');
  expect(output).toContain('a-long-editor');
  for (const secret of [token.slice(4), 'correct', 'horse']) expect(output).not.toContain(secret);
});

test.each([1, 3, 8])('a given secret is found that begins with %i characters of an event', (at) => {
  const texts = [
    `my ${'swordfish'.slice(0, at)}`,
    `\x1b[1m${'swordfish'.slice(at)}\r\n`,
    'more s',
    'o',
  ];
  const { events } = parseCast(encodeUtf8(redactRecording(recordingOf(...texts), rules)));
  const output = events.map((event) => (event.type === 'output' ? event.text : '')).join('');
  expect(output.replace('\x1b[1m', '')).toBe('my •••••••••\r\nmore so');
});

test('a secret that is drawn in pieces is found on the screen, and nothing is written', () => {
  const pieces = recordingOf('\x1b[2;7Hfish', 'x\x1b[2;2Hsword');
  expect(() => redactRecording(pieces, rules)).toThrow(/at 0.100 s, row 1 of the screen/);
  const wrapped = recordingOf(
    `${'.'.repeat(26)}\x1b[2;1Hfish\x1b[1;27Hord `,
    '\x1b[1;26Hswor\x1b[1;30Hd',
  );
  expect(() => redactRecording(wrapped, rules)).toThrow(/still shows a secret/);
  // Only the lower row changes when the secret is whole.
  const below = recordingOf(`${'.'.repeat(25)}sword`, '\x1b[3;1Hx\x1b[2;1Hfish');
  expect(() => redactRecording(below, rules)).toThrow(/at 0.100 s, row 1 of the screen/);
});

test.each(['short', 'two\nlines'])('a secret that would not be found is refused: %j', (secret) => {
  expect(() => secretRules({}, [secret])).toThrow(/one line of at least 6 characters/);
});
