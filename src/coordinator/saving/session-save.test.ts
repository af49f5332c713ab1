import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../test/support/run/runs.ts';
import { SavedByTurns, type TerminalStep } from '../../../test/support/session/saved-by-turns.ts';

type Action = TerminalStep | 'take' | 'collect' | 'collect all' | 'restart' | 'lose files';

const piece = fc.constantFrom(
  ...['a', 'word ', '\r\n', 'line\r\n', 'a line that wraps once or twice\r\n', '漢', '\x1b[31m'],
  ...['\x1b[2J\x1b[H', '\x1b[3J', '\x1b[?1049h', '\x1b[?1049l', '\x1b[3A', '\x1b[H', '\x1bc'],
  ...['1\r\n2\r\n3\r\n4\r\n5\r\n6\r\n7\r\n8\r\n'],
);
const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .array(piece, { minLength: 1, maxLength: 8 })
      .map((pieces) => ({ output: pieces.join('') })),
  },
  fc.record({ cols: fc.integer({ min: 4, max: 30 }), rows: fc.integer({ min: 1, max: 8 }) }),
  { weight: 3, arbitrary: fc.constant('take' as const) },
  { weight: 3, arbitrary: fc.constant('collect' as const) },
  fc.constant('collect all' as const),
  fc.constant('restart' as const),
  fc.constant('lose files' as const),
);

describe('SessionSave', () => {
  it('[law] what is saved and the steps after it give the same terminal', () => {
    const property = fc.property(
      fc.array(action, { maxLength: 30 }),
      fc.constantFrom(3, 10, 1000),
      (actions, maxLines) => {
        const saved = new SavedByTurns(maxLines);
        for (const each of actions) {
          if (each === 'take') saved.save.take();
          else if (each === 'collect') saved.save.collect();
          else if (each === 'collect all') saved.collectAll();
          else if (each === 'restart') saved.restart();
          else if (each === 'lose files') saved.loseFiles();
          else saved.apply(each);
        }
        saved.restart();
        saved.collectAll();
        expect(saved.save.unsavedBytes).toBe(0);
        saved.restart();
      },
    );
    fc.assert(property, runs(300));
  });

  const lines = (count: number) => ({ output: 'a line\r\n'.repeat(count) });

  it('saves the newest state whose lines were dropped by the limit, without collecting any', () => {
    const saved = new SavedByTurns(10);
    saved.apply(lines(20));
    saved.save.take();
    expect(saved.host.state).toBe(null);
    saved.apply(lines(9));
    saved.save.take();
    expect(saved.host.state).toBe(null);
    saved.apply(lines(2));
    saved.save.take();
    expect(saved.host.state?.offset).toBe(20 * 8);
    expect(saved.host.segments).toEqual([]);
  });

  it('writes each line a few times at most, and few segments', () => {
    const saved = new SavedByTurns(100_000, 4000);
    let written = 0;
    for (let count = 0; count < 2000; count++) {
      saved.apply(lines(1));
      saved.collectAll();
    }
    for (const { segments = [] } of saved.changes) {
      for (const { from, to } of segments) written += to - from;
    }
    expect(written).toBeLessThan(2000 * 10);
    expect(saved.host.segments.length).toBeLessThan(20);
  });

  it('saves the state again if its lines moved back to the screen', () => {
    const saved = new SavedByTurns(1000);
    saved.apply(lines(10));
    saved.collectAll();
    saved.apply({ cols: 12, rows: 8 });
    saved.apply({ output: '\x1b[Hother\x1b[8H' });
    saved.save.take();
    saved.apply(lines(8));
    saved.collectAll();
    saved.restart();
    expect(saved.save.unsavedBytes).toBe(0);
  });
});
