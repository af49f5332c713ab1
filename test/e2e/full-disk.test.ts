import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect } from 'vitest';
import { Place, vtrFile } from '../support/command/vtr-command.ts';
import { canMount, withMounts } from '../support/pty/mount-namespace.ts';
import { provided } from '../support/run/needs.ts';

/** Mounts a disk on which empty files can be created, but nothing can be written. */
const fullDisk = (path: string) =>
  `mount -t tmpfs -o size=64k,mode=700 tmpfs ${path} && (head -c 1M /dev/zero > ${path}/full; true) 2> /dev/null`;

/** Runs a command, then prints the files that are on the disk. */
const thenFiles = '"$@"; status=$?; cd "$VTR_FULL" && find . -type f -o -type s; exit $status';

const recording = '{"version":2,"width":20,"height":2}\n[0.1,"o","hello"]\n';

/** Runs `vtr` where the directory of its socket is on a full disk. */
async function onFullDisk(words: (disk: string) => readonly string[]) {
  const place = new Place();
  const { directory, state } = place;
  const cast = join(state, 'x.cast');
  writeFileSync(cast, recording);
  const command = [process.execPath, vtrFile, ...words(directory).map((each) => each || cast)];
  const [program = '', ...args] = withMounts(
    fullDisk(directory),
    ...['sh', '-c', thenFiles, 'sh', ...command],
  );
  const child = spawn(program, args, {
    env: { ...place.env, VTR_FULL: directory },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr, [status]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit'),
  ]);
  return {
    status,
    files: stdout,
    said: stderr.replaceAll(`${directory}/`, '').replace(/mcp-\d+/, 'mcp-PORT'),
  };
}

const reason = 'cannot be written: no space left on device (ENOSPC)';

describe('a command that writes a file on a full disk', () => {
  provided(canMount(fullDisk('/mnt')), 'only where tmpfs can be mounted')(
    'names the file and the reason, and leaves no file',
    async () => {
      const commands: Record<string, (disk: string) => readonly string[]> = {
        'default.sock.daemon': () => ['serve'],
        'vtr.pid': (disk) => ['serve', '--pid-file', join(disk, 'vtr.pid')],
        'mcp-PORT.token': () => ['mcp', '--http'],
        'config/vtr/config.toml': () => ['config', 'add', '/x.sock'],
        'skills/vtr/SKILL.md': (disk) => ['skill', 'install', join(disk, 'skills')],
        'x.txt': (disk) => ['export', '', '-o', join(disk, 'x.txt')],
        'y.txt': (disk) => ['export', '', '--force', '-o', join(disk, 'y.txt')],
      };
      const ended = await Promise.all(
        Object.entries(commands).map(async ([file, words]) => [file, await onFullDisk(words)]),
      );
      const expected = Object.keys(commands).map((file) => [
        file,
        { status: 10, files: './full\n', said: expect.stringContaining(`${file} ${reason}`) },
      ]);
      expect(ended).toEqual(expected);
    },
  );
});
