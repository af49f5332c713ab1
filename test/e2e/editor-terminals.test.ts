import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from '../../scripts/root.mjs';
import { runNode } from '../../scripts/steps/run.mjs';

it('[S2.01, S2.09] the example of an editor with terminals finds what it describes', async () => {
  const example = join(root, 'build/examples/editor-terminals/main.js');
  const { status, output } = await runNode(example, [], { cwd: root });
  const summary = '4 records of commands; the first terminal shows: 2 passed\n';
  expect([output, status]).toEqual([summary, 0]);
});
