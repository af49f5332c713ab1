export { type Libc, type LoadedLibc, loadLibc } from './libc.ts';
export { linuxAbi } from './linux-abi.ts';
export { peerPid, peerUid } from './peer.ts';
export { sharedMemory } from './shared-memory.ts';
