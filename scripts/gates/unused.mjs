import { fileURLToPath } from 'node:url';
import { runNode } from '../steps/run.mjs';
import { tools } from '../steps/tools.mjs';
import { counted, runWhenMain } from './gate.mjs';

const countReporter = fileURLToPath(new URL('./knip-counts.mjs', import.meta.url));

/** @type {import('./gate.mjs').Gate} */
export const unused = {
  name: 'unused',
  holds: 'no file, export or dependency is unused or missing',
  async run(root) {
    const args = ['--no-progress', '--treat-config-hints-as-errors'];
    args.push('--reporter', 'symbols', '--reporter', countReporter);
    const { status, output } = await runNode(tools.knip, args, { cwd: root });
    const count = Number(/^knip saw (\d+) files$/m.exec(output)?.[1] ?? 0);
    const problems = status === 0 ? [] : [output];
    if (count === 0) problems.push('saw no file');
    return { seen: counted(count, 'file'), problems };
  },
};

await runWhenMain(import.meta.url, unused);
