import { runNode } from '../steps/run.mjs';
import { tools } from '../steps/tools.mjs';
import { counted, runWhenMain } from './gate.mjs';

/** @type {import('./gate.mjs').Gate} */
export const format = {
  name: 'format',
  holds: 'files are formatted and free of lint (`npm run format` fixes most)',
  async run(root) {
    const args = ['ci', '--colors=off', '--error-on-warnings', '--max-diagnostics=50', '.'];
    const { status, output } = await runNode(tools.biome, args, { cwd: root });
    const count = Number(/^Checked (\d+) files? in/m.exec(output)?.[1] ?? 0);
    const problems = status === 0 ? [] : [output];
    if (count === 0) problems.push('saw no file');
    return { seen: counted(count, 'file'), problems };
  },
};

await runWhenMain(import.meta.url, format);
