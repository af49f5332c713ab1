import { expect, it } from 'vitest';
import { parseKey } from '#keys';
import { Keys } from '../keys.ts';
import { LeaderBytes } from './attach-raw.ts';

const bytes = (text: string): Uint8Array => Buffer.from(text, 'latin1');

it.each([
  ['none', 'a\x1b[1;3Db', 'a', true],
  ['none', 'a\x1bdb', 'a\x1bdb', false],
  ['ctrl+b', 'a\x1b[1;3D', 'a', true],
  // A sequence of keys after the leader is not looked for.
  ['ctrl+b', 'a\x02d', 'a', true],
])('with the leader %s, a key without it is found in %j', (leader, typed, rest, detaches) => {
  const written = { direct: { detach: 'alt+left' }, attach: { detach: 'v d' } };
  const keys = new Keys(leader === 'none' ? null : parseKey(leader), written);
  const read = new LeaderBytes(keys).read(bytes(typed));
  expect([Buffer.from(read.rest).toString('latin1'), read.detaches]).toEqual([rest, detaches]);
});

it.each([
  ['ctrl+b', ['d'], 'a\x02d', 'a', true],
  ['ctrl+b', ['d'], 'a\x02\x02d', 'a\x02d', false],
  // It has bytes only in the kitty protocol.
  ['media_play', ['d'], 'ad', 'ad', false],
  ['media_play', ['d'], 'a\x1b[57428ud', 'a', true],
  ['ctrl+a', ['x', 'f5'], 'a\x01d', 'ad', false],
  ['ctrl+a', ['x', 'f5'], 'a\x01x', 'a', true],
  ['ctrl+a', ['x', 'f5'], 'a\x01\x1b[15~', 'a', true],
])('the leader %s and %j are found in %j', (leader, detach, typed, rest, detaches) => {
  const keys = new Keys(parseKey(leader), { attach: { detach } });
  const read = new LeaderBytes(keys).read(bytes(typed));
  expect([Buffer.from(read.rest).toString('latin1'), read.detaches]).toEqual([rest, detaches]);
});
