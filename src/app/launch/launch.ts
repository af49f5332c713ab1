import { Bundles } from './bundles.ts';
import { CodeCache } from './code-cache.ts';

/**
 * Runs a program.
 *
 * @param bundle its file, of those that `npm run build` makes
 * @param directory of the bundles
 * @param require loads what is not a bundle
 * @param use what this process does with it: each use has compiled code of its own
 */
export function launch(
  bundle: string,
  directory: string,
  require: NodeJS.Require,
  use: string | null = null,
): void {
  new Bundles(directory, require, CodeCache.open(process), use).load(bundle);
}
