import { constants } from 'node:os';
import { type Libc, type LoadedLibc, loadLibc } from '#libc';
import { LibcBinding } from '../../../src/pty/start/libc-binding.ts';
import { failureOf } from './system-calls.ts';

/** Those that return the number of an error; the others return -1. */
const returnsError = /^posix_spawn/;
/** They cannot fail, or their failure frees nothing. */
const cannotFail = /_init$|_destroy$|^posix_spawnattr|^waitid$/;

/** Starts programs, of which each call of the C library can fail; null where that cannot be called. */
export const failingBinding: LibcBinding | null = bindingOf();

function bindingOf(): LibcBinding | null {
  try {
    return LibcBinding.on(failingLibc(loadLibc()));
  } catch {
    return null;
  }
}

function failingLibc({ libc, errno }: LoadedLibc): LoadedLibc {
  let failed: number | null = null;
  const functions = Object.entries(libc).map(([name, call]) => [
    name,
    (...args: unknown[]) => {
      const failure = cannotFail.test(name)
        ? null
        : failureOf(`libc.${name}`, '', { site: 'libc' });
      failed = failure === null ? null : constants.errno[failure as keyof typeof constants.errno];
      if (failed === null) return (call as (...all: unknown[]) => number)(...args);
      return returnsError.test(name) ? failed : -1;
    },
  ]);
  return { libc: Object.fromEntries(functions) as Libc, errno: () => failed ?? errno() };
}
