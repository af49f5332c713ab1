export { type Libc, type LoadedLibc, linuxAbi, loadLibc } from './libc.ts';
export { openFilesLimit } from './open-files.ts';
export { peerPid, peerUid } from './peer.ts';
export { sharedMemory } from './shared-memory.ts';
export { statNow } from './stat-now.ts';
export { UnixDatagrams } from './unix-datagrams.ts';
