import { describe, expect, it } from 'vitest';
import { Cancellation, type InputReceipt, VtrError } from '#model';
import { deferred } from '../../../test/support/deferred.ts';
import { WritesById } from './writes-by-id.ts';

/** Ids, and the writes that were made. */
function begun() {
  const ids = new WritesById();
  const calls: string[] = [];
  const write = (inputId: string, receipt: () => Promise<InputReceipt> = async () => ({})) =>
    ids.once({ inputId }, () => {
      calls.push(inputId);
      return receipt();
    });
  return { ids, made: calls, write };
}

const failure = (acceptedBytes: number) =>
  new VtrError('CANCELLED', 'withdrawn', { details: { acceptedBytes } });

describe('WritesById', () => {
  it('makes a write once, and gives its result to all calls', async () => {
    const { made, write } = begun();
    const first = deferred<InputReceipt>();
    const calls = [write('a', () => first.promise), write('a'), write('b')];
    first.resolve({ lineCutAtBytes: 7 });
    expect(await Promise.all(calls)).toEqual([{ lineCutAtBytes: 7 }, { lineCutAtBytes: 7 }, {}]);
    expect(await write('a')).toEqual({ lineCutAtBytes: 7 });
    expect(made).toEqual(['a', 'b']);
  });

  it('refuses a write that has the id of another one', async () => {
    const { ids, made, write } = begun();
    const repeat = (content: string) =>
      ids.once({ inputId: 'a', content }, async () => {
        made.push(content);
        return {};
      });
    await repeat('first');
    await repeat('first');
    await expect(repeat('other')).rejects.toMatchObject({ code: 'INPUT_ID_USED' });
    // A coordinator of an older version sends no content.
    await write('a');
    expect(made).toEqual(['first']);
  });

  it('makes every write without an id', async () => {
    let count = 0;
    const ids = new WritesById();
    const write = async () => {
      count++;
      return {};
    };
    await Promise.all([ids.once({}, write), ids.once({}, write)]);
    expect(count).toBe(2);
  });

  it('gives a failure to all calls if a part was accepted, and else forgets it', async () => {
    const { made, write } = begun();
    for (const _ of [1, 2]) {
      await expect(write('a', () => Promise.reject(failure(1)))).rejects.toEqual(failure(1));
      await expect(write('b', () => Promise.reject(failure(0)))).rejects.toEqual(failure(0));
    }
    expect(made).toEqual(['a', 'b', 'b']);
    await write('b');
    await write('b');
    expect(made).toEqual(['a', 'b', 'b', 'b']);
  });

  it('knows the last 64 ids that are done, and all that are under way', async () => {
    const { made, write } = begun();
    const first = deferred<InputReceipt>();
    const slow = write('slow', () => first.promise);
    for (let at = 0; at < 100; at++) await write(`${at}`);
    made.length = 0;
    for (let at = 36; at < 100; at++) await write(`${at}`);
    const repeated = write('slow');
    expect(made).toEqual([]);
    await write('35');
    expect(made).toEqual(['35']);
    first.resolve({});
    await Promise.all([slow, repeated]);
  });

  it('is withdrawn by the signal of any call', async () => {
    const ids = new WritesById();
    const [one, two] = [new Cancellation(), new Cancellation()];
    const write = (signal: Cancellation) =>
      ids.once({ inputId: 'a', signal }, (any) => {
        return new Promise((_, reject) => {
          any?.addEventListener('abort', () => reject(failure(3)));
        });
      });
    const calls = [write(one), write(two)].map((call) => expect(call).rejects.toEqual(failure(3)));
    two.abort();
    await Promise.all(calls);
  });
});
