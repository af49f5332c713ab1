import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from '../../scripts/root.mjs';
import { runNode } from '../../scripts/steps/run.mjs';
import { serveCoordinator } from '../support/service/served-coordinator.ts';

it('[S3.35] the example of two clients shows the actions and screens of both', async () => {
  const served = await serveCoordinator();
  try {
    const example = join(root, 'build/examples/shared-session/main.js');
    const { status, output } = await runNode(example, [served.socket], { cwd: root });
    expect([output, status]).toEqual([
      'got a message\nexit 0\n0: a message\n1: got a message\n',
      0,
    ]);
    expect(await served.local.list()).toEqual([]);
  } finally {
    await served.end();
  }
});
