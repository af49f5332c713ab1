import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { runs } from '../../test/support/run/runs.ts';
import { beginWork, currentWork, decodeWork, endWork, showWorkIn, workBytes } from './at-work.ts';

afterEach(() => showWorkIn(null));

describe('what a thread works on', () => {
  it('is shown from its begin to its end, with the session', () => {
    const memory = new Uint8Array(workBytes);
    beginWork('output', 'before');
    showWorkIn(memory);
    expect(decodeWork(memory)).toBeNull();
    for (const session of ['a', 'a'.repeat(64), 'b']) {
      beginWork('search', session);
      expect(decodeWork(memory)).toEqual({ kind: 'search', session });
      beginWork('save', session);
      expect(currentWork()).toEqual({ kind: 'save', session });
      endWork();
      expect(decodeWork(memory)).toBeNull();
    }
  });

  it('is read from any bytes as a work or none', () => {
    const property = fc.property(fc.uint8Array({ maxLength: workBytes }), (bytes) => {
      const work = decodeWork(bytes);
      if (work !== null) expect(work.session).toMatch(/^[A-Za-z0-9._-]{1,64}$/);
    });
    fc.assert(property, runs(200));
  });
});
