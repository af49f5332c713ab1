import { copyFileSync, mkdirSync, readdirSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Files that are not compiled, and that compiled files find next to them. */
const directories = ['shell/scripts', 'app/acp/scripts', 'image/fonts', 'agents/kinds'];

/**
 * Copies scripts that shells read, the shell of agents, the fonts of pictures, and the files of agents, to dist. A file
 * that is there and current is not touched, and another one is replaced in one step: programs and other set-ups may read
 * it meanwhile.
 *
 * @param {string} root
 */
export function copyData(root) {
  for (const directory of directories) {
    copyChanged(join(root, 'src', directory), join(root, 'dist', directory));
  }
}

/** @param {string} from @param {string} to */
function copyChanged(from, to) {
  mkdirSync(to, { recursive: true });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const source = join(from, entry.name);
    const target = join(to, entry.name);
    if (entry.isDirectory()) copyChanged(source, target);
    else if (!isCurrent(source, target)) {
      const temporary = `${target}.${process.pid}`;
      copyFileSync(source, temporary);
      renameSync(temporary, target);
    }
  }
}

/** @param {string} source @param {string} target */
function isCurrent(source, target) {
  const copy = statSync(target, { throwIfNoEntry: false });
  const { mtimeMs, size } = statSync(source);
  return copy !== undefined && copy.mtimeMs >= mtimeMs && copy.size === size;
}
