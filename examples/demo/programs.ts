import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

export const isInstalled = (program: string): Promise<boolean> => succeeds(`command -v ${program}`);

/** Whether a command for sh ends with 0. */
export async function succeeds(command: string): Promise<boolean> {
  return run('/bin/sh', ['-c', command]).then(
    () => true,
    () => false,
  );
}

/** An interactive shell without anybody's settings, whose prompt is `$ `. */
export async function plainShell(): Promise<readonly string[]> {
  return (await isInstalled('bash')) ? ['bash', '--noprofile', '--norc'] : ['sh'];
}

/** A script for sh, made of what sh itself can do: the machine may lack everything else. */
export const script = (text: string): readonly string[] => ['sh', '-c', text];
