import { bundledNode } from '../../../src/app/cli/install/bundled-node.ts';
import { sharedCache } from './vtr-command.ts';

/**
 * Whether `vtr install` can bring a Node.js to a machine like this one: fetches it into the cache of tests, once.
 */
export async function canBringNode(): Promise<boolean> {
  const { env, platform, arch } = process;
  const user = { env: { ...env, XDG_CACHE_HOME: sharedCache } };
  const say = (line: string) => void process.stdout.write(`    ${line}\n`);
  return bundledNode({ ...user, say }, { platform, arch }).then(
    () => true,
    () => false,
  );
}
