import { closeSync, ftruncateSync } from 'node:fs';
import { linuxAbi as abi, loadKoffi } from './libc.ts';

/**
 * Returns memory that other processes of the user can read, as a file of /proc/PID/fd whose link is `/memfd:NAME
 * (deleted)`. It stays until this process ends. Nobody can shorten it, so that no access fails (SIGBUS).
 *
 * @param name without a slash
 * @param bytes more than 0
 * @returns null without koffi, on other systems, and if the system refuses it
 */
export function sharedMemory(name: string, bytes: number): Uint8Array | null {
  if (process.platform !== 'linux') return null;
  try {
    const koffi = loadKoffi();
    const library = koffi.load(null);
    const create = library.func('int memfd_create(const char *, unsigned int)');
    const control = library.func('int fcntl(int, int, int)');
    const map = library.func('void *mmap(void *, size_t, int, int, int, int64_t)');
    const fd = create(name, abi.MFD_CLOEXEC | abi.MFD_ALLOW_SEALING);
    if (fd < 0) return null;
    let address: unknown = null;
    try {
      ftruncateSync(fd, bytes);
      const seals = abi.F_SEAL_SHRINK | abi.F_SEAL_GROW | abi.F_SEAL_SEAL;
      const access = abi.PROT_READ | abi.PROT_WRITE;
      if (control(fd, abi.F_ADD_SEALS, seals) === 0)
        address = map(null, bytes, access, abi.MAP_SHARED, fd, 0);
    } finally {
      if (isFailed(address)) closeSync(fd);
    }
    return isFailed(address) ? null : new Uint8Array(koffi.view(address, bytes));
  } catch {
    return null;
  }
}

/** MAP_FAILED is the address -1. */
const isFailed = (address: unknown): boolean =>
  address === null || BigInt.asIntN(64, BigInt(address as bigint)) === -1n;
