import { runNode } from '../steps/run.mjs';
import { tools } from '../steps/tools.mjs';
import { counted, runWhenMain } from './gate.mjs';
import { listFiles } from './source-files.mjs';

/** The service of the specification. */
const promised = 'test/proto';

/** @type {import('./gate.mjs').Gate} */
export const proto = {
  name: 'proto',
  holds:
    'the service obeys the rules of protocol buffers and breaks no client of the specification',
  async run(root) {
    const files = listFiles(root, ['proto'], /\.proto$/);
    const problems = [
      ...(await bufProblems(root, 'lint', 'proto')),
      ...(await bufProblems(root, 'breaking', 'proto', '--against', promised)),
    ];
    if (files.length === 0) problems.push('saw no file');
    if (listFiles(root, [promised], /\.proto$/).length === 0) problems.push(`saw no ${promised}`);
    return { seen: counted(files.length, 'file'), problems };
  },
};

/**
 * @param {string} root
 * @param {readonly string[]} args
 */
async function bufProblems(root, ...args) {
  const { status, output } = await runNode(tools.buf, args, { cwd: root });
  return status === 0 ? [] : [output];
}

await runWhenMain(import.meta.url, proto);
