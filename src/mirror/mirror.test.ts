import { expect, it } from 'vitest';
import { encodeUtf8 } from '#base';
import { Terminal } from '#vt';
import { Mirror } from './mirror.ts';

const size = { cols: 8, rows: 2 };

function mirrored() {
  const events: string[] = [];
  const mirror = new Mirror({
    bell: () => events.push('bell'),
    clipboard: (text) => events.push(`clipboard ${text}`),
  });
  const apply = (offset: number, text: string) =>
    mirror.apply({ type: 'output', offset, bytes: encodeUtf8(text) });
  const start = (text: string, offset: number) =>
    mirror.apply({ type: 'snapshot', size, firstLine: 0, dump: encodeUtf8(text), offset });
  return { mirror, told: events, apply, start, text: () => mirror.terminal?.screenText() };
}

it('has no terminal before the first snapshot, whatever comes before it', () => {
  const { mirror, apply } = mirrored();
  apply(0, 'early');
  mirror.apply({ type: 'resize', size });
  expect(mirror.terminal).toBeNull();
});

it('leaves out the output that the snapshot contains, and reports nothing of a dump', () => {
  const { told, apply, start, text } = mirrored();
  start('ab\x07', 2);
  apply(0, 'ab');
  apply(2, 'c\x07\x1b]52;c;aGk=\x07');
  expect(text()).toEqual(['abc', '']);
  expect(told).toEqual(['bell', 'clipboard hi']);
});

it('begins again at a later snapshot, in another terminal', () => {
  const { mirror, apply, start, text } = mirrored();
  start('old', 3);
  const { terminal } = mirror;
  start('new', 9);
  apply(9, '!');
  expect(mirror.terminal).not.toBe(terminal);
  expect(text()).toEqual(['new!', '']);
});

it('resizes as the session did, and shows an open frame at its end', () => {
  const { mirror, apply, start } = mirrored();
  const expected = new Terminal({ size });
  expected.feed(encodeUtf8('one\r\ntwo'));
  const erasedFrom = { row: 1, col: 1 };
  expected.resize({ cols: 5, rows: 3 }, erasedFrom);
  start('one\r\ntwo', 8);
  mirror.apply({ type: 'resize', size: { cols: 5, rows: 3 }, erasedFrom });
  expect(mirror.terminal?.screenText()).toEqual(expected.screenText());
  apply(8, '\x1b[?2026hx');
  expect(mirror.terminal?.frameOpen).toBe(true);
  apply(17, '');
  expect(mirror.terminal?.frameOpen).toBe(false);
});

it('answers nothing: the coordinator does', () => {
  const { mirror, apply, start } = mirrored();
  start('\x1b[c', 3);
  apply(3, '\x1b[6n');
  expect(mirror.terminal?.takeReplies()).toBeNull();
});
