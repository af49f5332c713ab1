import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Beside this file, and where the build puts it beside a bundle. */
const candidates = ['./scripts/', './shell/scripts/'];

/** Where the scripts lie that shells read; null where somebody has bundled us without them. */
export function findScripts(): string | null {
  const folders = candidates.map((path) => fileURLToPath(new URL(path, import.meta.url)));
  const found = folders.find((folder) => existsSync(`${folder}bash/integration.bash`));
  return found === undefined ? null : found.replace(/\/$/, '');
}
