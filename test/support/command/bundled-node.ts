import { join } from 'node:path';
import { nodeArchive, nodePackageFor } from '../../../src/app/cli/install/node-binary.ts';
import { sharedCache } from './vtr-command.ts';

/**
 * Whether `vtr install` can bring a Node.js to a machine like this one: fetches it into the cache of tests, once.
 */
export async function canBringNode(): Promise<boolean> {
  const nodePackage = nodePackageFor(process);
  if (nodePackage === null) return false;
  return nodeArchive(nodePackage, join(sharedCache, 'vtr/node'), process.env).then(
    () => true,
    () => false,
  );
}
