import { spawnSync } from 'node:child_process';

/** As root, a namespace of mounts is enough; others become root in one of users. */
const unshare = ['unshare', process.getuid?.() === 0 ? '-m' : '-rm'];

/** The words that run a program where `mounts`, lines for a shell, have been made, for it alone. */
export const withMounts = (mounts: string, ...words: readonly string[]): string[] => [
  ...unshare,
  ...['sh', '-c', `${mounts} && exec "$@"`, 'sh'],
  ...words,
];

/** Whether they can be made on this machine. */
export function canMount(mounts: string): boolean {
  const [program = '', ...args] = withMounts(mounts, 'true');
  return spawnSync(program, args).status === 0;
}
