import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeUtf8 } from '#base';
import { TtyDecoder, type TtyEvent } from '#tty';
import { readKeyVectors } from '../support/keys/key-vectors.ts';
import { runs } from '../support/run/runs.ts';
import { chunkings } from '../support/vt/chunkings.ts';
import { mutatedOutput } from '../support/vt/mutated-output.ts';

/** Recorded keys, with changed bytes between them. */
const vectors = [...readKeyVectors('terminals.txt'), ...readKeyVectors('mouse.txt')];
const recorded = fc
  .array(fc.constantFrom(...vectors), { minLength: 1, maxLength: 30 })
  .map((rows) => Buffer.from(rows.map(({ bytes }) => bytes).join(''), 'latin1'));

const input = fc
  .array(fc.oneof(recorded, mutatedOutput, fc.uint8Array({ maxLength: 6 })), { maxLength: 6 })
  .map((parts) => Buffer.concat(parts));

function decoded(chunks: Iterable<Uint8Array>, kittyFlags: number): TtyEvent[] {
  const decoder = Object.assign(new TtyDecoder(), { kittyFlags });
  const events = Array.from(chunks, (chunk) => decoder.feed(chunk)).flat();
  events.push(...decoder.flush(5000));
  expect(decoder.waitMs).toBeNull();
  return events;
}

describe('corrupted input of a terminal', () => {
  it('is the same in any chunks, and nothing waits after it', () => {
    const property = fc.property(input, fc.constantFrom(0, 5, 31), (bytes, kittyFlags) => {
      const whole = decoded([bytes], kittyFlags);
      for (const cut of Object.values(chunkings)) {
        expect(decoded(cut(bytes), kittyFlags)).toEqual(whole);
      }
    });
    fc.assert(property, runs(40));
  });

  // What waits is bounded: 4 KiB of a string, 1 MiB of a paste.
  it.each([
    ['\x1b]11;', 4 * 1024],
    ['\x1bP1+r', 4 * 1024],
    ['\x1b[', 256],
    ['\x1b[200~', 1024 * 1024],
  ])('does not wait for an end that never comes: %j', (begin, maxHeld) => {
    const decoder = new TtyDecoder();
    decoder.feed(encodeUtf8(begin));
    const block = new Uint8Array(maxHeld * 1.5).fill(0x31);
    let fed = 0;
    let events = 0;
    for (let count = 0; count < 2; count++) {
      fed += block.length;
      for (const event of decoder.feed(block)) events += lengthOf(event);
    }
    expect(events).toBeLessThanOrEqual(fed + begin.length);
    expect(events).toBeGreaterThanOrEqual(fed - maxHeld);
    for (const event of decoder.flush(5000)) events += lengthOf(event);
    expect(events).toBe(begin.includes('200~') ? fed : fed + begin.length);
  });
});

function lengthOf(event: TtyEvent): number {
  if (event.type === 'paste') return event.text.length;
  if (event.type === 'reply' && event.reply.of === 'other') return event.reply.bytes.length;
  return event.type === 'key' || event.type === 'bytes' ? event.bytes.length : 0;
}
