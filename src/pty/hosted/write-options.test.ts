import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Fields, protocol } from './frames.ts';
import { decodeWriteOptions, encodeWriteOptions } from './write-options.ts';

/** The options as a host of a version reads them. */
const optionsAtHost = (options: object, version: number) => {
  const fields = new Fields(encodeWriteOptions(options, version));
  const atHost = decodeWriteOptions(fields);
  expect(fields.left).toBe(0);
  return atHost;
};

describe('the options of a write', () => {
  const options = {
    inputId: 'one',
    content: 'ab'.repeat(16),
    answersTo: 7,
    startByMs: 12,
    reader: 4711,
    pausesAt: [2],
    entersAt: [5],
  };
  const inputId = expect.stringMatching(/^[0-9a-f]{32}$/);

  it('reach the host whole', () => {
    expect(optionsAtHost(options, protocol.max)).toEqual({ ...options, inputId });
  });

  it.each([
    [1, { inputId, answersTo: 7, pausesAt: [2, 5] }],
    [2, { inputId, answersTo: 7, pausesAt: [2, 5], content: options.content, startByMs: 12 }],
    [
      3,
      {
        inputId,
        answersTo: 7,
        pausesAt: [2],
        content: options.content,
        startByMs: 12,
        entersAt: [5],
      },
    ],
  ])('are those that a host of protocol %i knows', (version, expectation) => {
    expect(optionsAtHost(options, version)).toEqual(expectation);
  });

  it('are any of them', () => {
    const any = fc.record(
      { answersTo: fc.nat(), reader: fc.nat(), startByMs: fc.nat(), entersAt: fc.constant([3]) },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(any, (some) => {
        expect(optionsAtHost(some, protocol.max)).toEqual({ pausesAt: [], ...some });
      }),
    );
  });
});
