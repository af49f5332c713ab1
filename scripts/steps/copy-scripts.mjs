// The default import, because an import of cpSync fails in an older Node before it prints the message.
import fs from 'node:fs';
import { join } from 'node:path';

/** Scripts that are not compiled, and that compiled files find next to them. */
const directory = 'shell/scripts';

/**
 * Copies the scripts that shells read to dist.
 *
 * @param {string} root
 */
export function copyScripts(root) {
  fs.cpSync(join(root, 'src', directory), join(root, 'dist', directory), { recursive: true });
}
