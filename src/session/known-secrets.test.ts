import { expect, test } from 'vitest';
import { KnownSecrets } from './known-secrets.ts';

test('what output shows is bounded, and displaces neither what was given nor what was typed', () => {
  const secrets = new KnownSecrets(['given value']);
  let learned = 0;
  secrets.onLearned = () => learned++;
  secrets.typed('typed value');
  secrets.typed('typed value');
  secrets.typed('short');
  expect([learned, secrets.version]).toEqual([1, 1]);
  for (let number = 0; number < 1000; number++) secrets.seen(`secret ${number}`);
  for (let number = 0; number < 10; number++) secrets.seen(`${number}`.repeat(20_000));
  const { typed, seen } = secrets.learned;
  expect(typed).toEqual(['typed value']);
  expect(seen.map(({ length }) => length)).toEqual([20_000, 20_000, 20_000]);
  expect([...secrets]).toEqual(['given value', 'typed value', ...seen]);
  expect([...new KnownSecrets(['given value'], secrets.learned)]).toEqual([...secrets]);
  expect([...new KnownSecrets()]).toEqual([]);
});

test('the oldest of too many is forgotten first', () => {
  const secrets = new KnownSecrets();
  for (let number = 1000; number < 2000; number++) secrets.seen(`secret ${number}`);
  expect(secrets.learned.seen).toHaveLength(256);
  expect(secrets.learned.seen.at(-1)).toBe('secret 1999');
});
