import { join } from 'node:path';
import { expect } from 'vitest';
import { root } from '../../scripts/root.mjs';
import { runNode } from '../../scripts/steps/run.mjs';
import { needs } from '../support/run/needs.ts';

needs('bash')('the example what-happened finds what it describes', async () => {
  const example = join(root, 'build/examples/what-happened/main.js');
  const { status, output } = await runNode(example, [], { cwd: root });
  expect([output, status]).toEqual(['command 1 ended with 3 and wrote: 2 passed, 1 failed\n', 0]);
});
