export { type Libc, type LoadedLibc, loadLibc } from './libc.ts';
export { linuxAbi } from './linux-abi.ts';
export { peerUid } from './peer-uid.ts';
