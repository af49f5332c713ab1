// The default import, because an import of cpSync fails in an older Node before it prints the message.
import fs from 'node:fs';
import { join } from 'node:path';

/** Files that are not compiled, and that compiled files find next to them. */
const directories = ['shell/scripts', 'image/fonts', 'agents/kinds'];

/**
 * Copies the scripts that shells read, the fonts of pictures, and the files of agents, to dist.
 *
 * @param {string} root
 */
export function copyData(root) {
  for (const directory of directories) {
    fs.cpSync(join(root, 'src', directory), join(root, 'dist', directory), { recursive: true });
  }
}
