import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { provided } from '../../../test/support/run/needs.ts';
import { readRecording } from './read-recording.ts';

const recording = '{"version":2,"width":20,"height":2}\n[0.1,"o","hello"]\n';
const mib = 1024 * 1024;

function inDirectory(test: (path: string) => void): void {
  const directory = mkdtempSync(join(tmpdir(), 'vtr-read-'));
  try {
    test(join(directory, 'x.cast'));
  } finally {
    rmSync(directory, { recursive: true });
  }
}

test('a recording may come through a pipe', () => {
  inDirectory((path) => {
    spawnSync('mkfifo', [path]);
    // Writes when the pipe is read; the shell ends at once.
    spawnSync('sh', ['-c', `printf '%s' "$1" > "$2" &`, 'sh', recording, path], {
      stdio: 'ignore',
    });
    expect(readRecording(path, 'x.cast').events).toHaveLength(1);
  });
});

provided(existsSync('/dev/zero'), 'only where /dev/zero exists')(
  'a device without an end is refused at the limit',
  () => {
    expect(() => readRecording('/dev/zero', 'zero')).toThrow(/^zero: it has more than 512 MiB$/);
  },
);

test('a compressed file that contains more is refused', () => {
  const part = gzipSync(new Uint8Array(16 * mib));
  inDirectory((path) => {
    writeFileSync(path, Buffer.concat(Array.from({ length: 33 }, () => part)));
    expect(() => readRecording(path, 'x')).toThrow(/^x: it has more than 512 MiB$/);
  });
});
