import { linuxAbi as abi, type Loaded, loadLibc } from './libc.ts';

let loaded: Loaded<'getrlimit'> | null | undefined;

/** Loads koffi at the first call: some 5 ms. */
function calls(): Loaded<'getrlimit'> | null {
  if (loaded !== undefined) return loaded;
  try {
    loaded = process.platform === 'linux' ? loadLibc(['getrlimit']) : null;
  } catch {
    loaded = null;
  }
  return loaded;
}

const limit = Buffer.alloc(abi.rlimit.bytes);

/**
 * Returns how many files this process may open (getrlimit(2), RLIMIT_NOFILE: the soft limit); null if there is no
 * limit, on other systems, and without koffi.
 */
export function openFilesLimit(): number | null {
  if (calls()?.libc.getrlimit(abi.RLIMIT_NOFILE, limit) !== 0) return null;
  const files = Number(limit.readBigUInt64LE(abi.rlimit.rlim_cur));
  // RLIM_INFINITY is the greatest number of 64 bits.
  return Number.isSafeInteger(files) ? files : null;
}
