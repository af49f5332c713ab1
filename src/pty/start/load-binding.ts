import { isMainThread } from 'node:worker_threads';
import { loadLibc } from '#libc';
import { LibcBinding } from './libc-binding.ts';
import { bindingPackage, NodePtyBinding } from './node-pty-binding.ts';
import type { PtyBinding } from './pty-binding.ts';

/** The machines whose layouts are known; see linux-abi.ts. */
const libcPlatforms = ['linux-x64', 'linux-arm64'];

let loaded: PtyBinding | null = null;

/**
 * Checks that programs can be started on this platform, without loading a binding.
 *
 * @throws VtrError SPAWN_FAILED that names the platforms
 */
export function checkPlatform(): void {
  bindingPackage(process.platform, process.arch);
}

/**
 * Returns the binding of this process: to the C library where that is possible, else node-pty. Takes
 * some 7 ms and 5 MB, so it must not be called before the first program.
 *
 * @throws VtrError SPAWN_FAILED
 */
export function loadBinding(): PtyBinding {
  loaded ??= libcBinding() ?? new NodePtyBinding();
  return loaded;
}

/**
 * Returns the binding that starts programs, for people.
 *
 * @throws VtrError SPAWN_FAILED if there is none
 */
export function bindingInUse(): Pick<PtyBinding, 'name' | 'canMark'> {
  const { name, canMark } = loadBinding();
  return { name, canMark };
}

function libcBinding(): PtyBinding | null {
  const isKnown = libcPlatforms.includes(`${process.platform}-${process.arch}`);
  // A worker thread receives no SIGCHLD.
  if (!isKnown || !isMainThread) return null;
  try {
    return LibcBinding.on(loadLibc());
  } catch {
    // Without koffi, or with a C library that is too old.
    return null;
  }
}
