import { describe, expect, it } from 'vitest';
import { gates } from '../scripts/gates/index.mjs';
import { root } from '../scripts/root.mjs';

// `npm run verify` fails when `npm run check` fails.
describe('this repository', () => {
  it.each(gates.map((gate) => [gate.name, gate.holds, gate] as const))(
    'passes the gate %s: %s',
    async (_name, _rule, gate) => {
      const { problems } = await gate.run(root);
      expect(problems).toEqual([]);
    },
  );
});
