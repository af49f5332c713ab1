import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from '../../scripts/root.mjs';
import { runNode } from '../../scripts/steps/run.mjs';

it('the example of an agent behind vtr acp finds what it describes', async () => {
  const example = join(root, 'build/examples/agent-in-between/main.js');
  const { status, output } = await runNode(example, [], { cwd: root });
  expect([output, status]).toEqual(['the editor saw: 2 passed\n', 0]);
});
