import { spawnSync } from 'node:child_process';

/** Root needs a namespace of mounts; other users need a namespace of users in addition. */
const unshare = ['unshare', process.getuid?.() === 0 ? '-m' : '-rm'];

/** The command line that runs a program with its own `mounts`, which are lines for a shell. */
export const withMounts = (mounts: string, ...words: readonly string[]): string[] => [
  ...unshare,
  ...['sh', '-c', `${mounts} && exec "$@"`, 'sh'],
  ...words,
];

/** Whether this machine allows these mounts. */
export function canMount(mounts: string): boolean {
  const [program = '', ...args] = withMounts(mounts, 'true');
  return spawnSync(program, args).status === 0;
}
