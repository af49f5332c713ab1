import { expect, it } from 'vitest';
import { parseKey } from '#keys';
import { LeaderBytes } from './leader-bytes.ts';

const bytes = (text: string): Uint8Array => Buffer.from(text, 'latin1');

it.each([
  ['ctrl+b', 'a\x02d', 'a', true],
  ['ctrl+b', 'a\x02\x02d', 'a\x02d', false],
  // It has bytes only in the kitty protocol.
  ['media_play', 'ad', 'ad', false],
  ['media_play', 'a\x1b[57428ud', 'a', true],
])('the leader %s is found in %j', (leader, typed, rest, detaches) => {
  const read = new LeaderBytes(parseKey(leader)).read(bytes(typed));
  expect([Buffer.from(read.rest).toString('latin1'), read.detaches]).toEqual([rest, detaches]);
});
