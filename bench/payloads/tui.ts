import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '../repository-root.ts';

const directory = join(repositoryRoot, 'test/golden/cases');
/** Recordings of programs that paint the whole screen. */
const programs = ['vim', 'less', 'htop', 'top', 'nano', 'mc', 'tmux', 'fzf'];
/** The length of the part that is repeated between start and end, in bytes. */
const workBytes = 200_000;
/** Soft reset, primary screen, home, erase: separates a program from the next one. */
const between = Buffer.from('\x1b[!p\x1b[?1049l\x1b[H\x1b[2J');

/**
 * The golden recordings of vim, less, htop and others, one after the other: each starts, works for a
 * while and exits.
 *
 * @throws Error when there is no recording
 */
export function recordedTui(): Buffer {
  const isWanted = (name: string) => programs.some((program) => name.startsWith(program));
  const names = readdirSync(directory)
    .filter((file) => file.endsWith('.bin') && isWanted(file))
    .map((file) => file.slice(0, -'.bin'.length))
    .sort();
  if (names.length === 0) throw new Error(`there is no recording of a program in ${directory}`);
  return Buffer.concat(names.flatMap((name) => [...longSession(name), between]));
}

/** A recording with the part between its start and its end repeated. */
function longSession(name: string): Buffer[] {
  const bytes = readFileSync(join(directory, `${name}.bin`));
  const { checkpoints } = JSON.parse(readFileSync(join(directory, `${name}.json`), 'utf8'));
  const offsets: number[] = checkpoints.map(({ offset }: { offset: number }) => offset);
  const started = offsets[0] ?? 0;
  const ending = offsets.at(-2) ?? bytes.length;
  const work = bytes.subarray(started, ending);
  const count = Math.max(1, Math.round(workBytes / Math.max(1, work.length)));
  return [
    bytes.subarray(0, started),
    ...Array.from({ length: count }, () => work),
    bytes.subarray(ending),
  ];
}
