import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { needs, provided } from '../../test/support/run/needs.ts';
import { tree } from '../../test/support/tree.ts';
import { linuxAbi as abi } from './libc.ts';

const headers = [
  ...['stddef', 'stdio', 'signal', 'spawn', 'termios', 'sys/ioctl', 'sys/syscall', 'sys/wait'],
  ...['sys/resource', 'sys/socket', 'sys/mman', 'fcntl', 'linux/close_range'],
  ...['sys/stat', 'errno', 'linux/openat2'],
];

/** Compiles a program that prints the values of C expressions, and returns them. */
function evaluate(expressions: readonly string[]): number[] {
  const print = expressions.map((each) => `printf("%lld\\n", (long long)(${each}));`).join('\n');
  const include = headers.map((each) => `#include <${each}.h>`).join('\n');
  const program = join(tree(), 'abi');
  const compile = ['-D_GNU_SOURCE', '-x', 'c', '-o', program, '-'];
  execFileSync('cc', compile, { input: `${include}\nint main(void) {\n${print}\nreturn 0; }\n` });
  return execFileSync(program, { encoding: 'utf8' }).trim().split('\n').map(Number);
}

describe('linuxAbi', () => {
  const onLinux = process.platform === 'linux' ? needs('cc') : provided(false, 'only on Linux');
  const { winsize, termios, siginfo, rlimit, ucred, sigsetBytes, spawnTypeBytes, ...others } = abi;
  const { openHow, statx, ...constants } = others;

  onLinux('has the numbers of the headers', () => {
    const names = Object.keys(constants);
    expect(Object.fromEntries(evaluate(names).map((value, at) => [names[at], value]))).toEqual(
      constants,
    );
  });

  onLinux('has the layouts of the headers', () => {
    const types = {
      'struct winsize': winsize,
      'struct termios': termios,
      siginfo_t: siginfo,
      'struct rlimit': rlimit,
      'struct ucred': ucred,
      'struct open_how': openHow,
      'struct statx': statx,
    };
    for (const [type, { bytes, ...fields }] of Object.entries(types)) {
      const offsets = Object.keys(fields).map((field) => `offsetof(${type}, ${field})`);
      const numbers = [bytes, ...Object.values(fields)];
      expect(evaluate([`sizeof(${type})`, ...offsets]), type).toEqual(numbers);
    }
    const opaque = ['sigset_t', 'posix_spawnattr_t', 'posix_spawn_file_actions_t'];
    const [signals, ...spawning] = evaluate(opaque.map((each) => `sizeof(${each})`));
    expect(signals).toBe(sigsetBytes);
    expect(Math.max(...spawning)).toBeLessThanOrEqual(spawnTypeBytes);
  });
});
