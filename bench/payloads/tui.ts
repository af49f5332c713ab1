import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '../repository-root.ts';

/** Recordings of programs that paint the whole screen. */
const programs = ['vim', 'less', 'htop', 'top', 'nano', 'mc', 'tmux', 'fzf'];
/** Soft reset, primary screen, home, empty: what one program left must not change the next. */
const between = Buffer.from('\x1b[!p\x1b[?1049l\x1b[H\x1b[2J');

/**
 * What vim, less, htop and others wrote, one after the other; from the golden recordings.
 *
 * @throws Error when there is none
 */
export function recordedTui(): Buffer {
  const folder = join(repositoryRoot, 'test/golden/cases');
  const isWanted = (name: string) =>
    name.endsWith('.bin') && programs.some((program) => name.startsWith(program));
  const names = readdirSync(folder).filter(isWanted).sort();
  if (names.length === 0) throw new Error(`there is no recording of a program in ${folder}`);
  return Buffer.concat(names.flatMap((name) => [readFileSync(join(folder, name)), between]));
}
