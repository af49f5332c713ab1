// `npm run bundle`: makes build/vtr-VERSION.mcpb, the MCP server for hosts that install bundles.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pack } from './mcpb/pack.mjs';
import { packedPtyPackages } from './mcpb/pty-packages.mjs';
import { root } from './root.mjs';
import { setUp } from './setup.mjs';
import { runScript } from './steps/step-failed.mjs';

await runScript('bundle', async () => {
  await setUp();
  const { name, version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const file = join(root, 'build', `${name}-${version}.mcpb`);
  await pack(root, await packedPtyPackages(root), file);
  process.stdout.write(`${file}\n`);
});
