import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { runGate } from '../../scripts/gates/gate.mjs';
import { gates } from '../../scripts/gates/index.mjs';
import { root } from '../../scripts/root.mjs';
import { tree } from '../support/tree.ts';

describe('a gate', () => {
  it('that throws an exception fails', async () => {
    const gate = {
      name: 'broken',
      holds: 'nothing',
      run: () => Promise.reject(new Error('disk on fire')),
    };
    const { problems } = await runGate(gate, '/');
    expect(problems.join('\n')).toContain('disk on fire');
  });

  it.each(gates.map((gate) => gate.name))(
    'runs alone and fails on an empty directory: %s',
    async (name) => {
      const file = join(root, `scripts/gates/${name}.mjs`);
      const alone = promisify(execFile)(process.execPath, [file, tree()]);
      await expect(alone).rejects.toMatchObject({
        code: 1,
        stdout: expect.stringMatching(new RegExp(`^${name} +FAILED`)),
      });
    },
  );
});
