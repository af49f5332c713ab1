// By its default, because an older Node, which is told that it is too old, has no cpSync to import.
import fs from 'node:fs';
import { join } from 'node:path';

/** What runs as it is, and is found beside what is compiled. */
const folder = 'shell/scripts';

/**
 * Brings the scripts that shells read into dist.
 *
 * @param {string} root
 */
export function copyScripts(root) {
  fs.cpSync(join(root, 'src', folder), join(root, 'dist', folder), { recursive: true });
}
