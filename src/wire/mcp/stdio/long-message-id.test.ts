import fc from 'fast-check';
import { expect, it } from 'vitest';
import { runs } from '../../../../test/support/run/runs.ts';
import { LongMessageId } from './long-message-id.ts';

function idOf(text: string, size = 3): unknown {
  const bytes = Buffer.from(text);
  const long = new LongMessageId();
  for (let at = 0; at < bytes.length; at += size) long.push(bytes.subarray(at, at + size));
  return long.id;
}

it.each([
  ['{"jsonrpc": "2.0", "id": 7, "params": {"id": 8, "text": "x"}}', 7],
  ['{"params": {"id": 8, "a": [1, {"id": 9}]}, "jsonrpc": "2.0", "id": "a\\"b"}', 'a"b'],
  ['{"\\u0069d": 1.5e1 }', 15],
  ['{"text": "\\\\\\", \\"id\\": 4", "id": 3}', 3],
  ['{"text": "\\", \\"id\\": 4"}', null],
  ['{"id": 1, "id": 2}', null],
  ['{"id": [1], "id": 2}', null],
  ['{"id": {"id": 1}}', null],
  ['{"id": 5, "id": x}', null],
  ['{"id": null}', null],
  ['{"id": 5x}', null],
  ['[{"id": 1}]', null],
  ['"id"', null],
  ['}{"id": 1}', null],
  [`{"id": "${'x'.repeat(2_000)}"}`, null],
])('the id of %j is %j', (text, id) => {
  expect(idOf(text)).toBe(id);
});

it('is that of any message, in any pieces', () => {
  const id = fc.oneof(
    fc.integer(),
    fc.string({ maxLength: 20, unit: 'binary' }),
    fc.constant(null),
  );
  const others = fc.dictionary(
    fc.string({ maxLength: 5 }).filter((name) => name !== 'id' && name !== '__proto__'),
    fc.jsonValue(),
    { maxKeys: 3 },
  );
  const message = fc.tuple(others, id, others);
  const property = fc.property(message, fc.integer({ min: 1, max: 50 }), (parts, size) => {
    const [before, id, after] = parts;
    expect(idOf(JSON.stringify({ ...before, id, ...after }), size)).toBe(id);
  });
  fc.assert(property, runs(200));
});
