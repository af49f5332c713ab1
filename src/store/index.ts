export { ArchiveFiles } from './archive/archive-files.ts';
export { type CheckedStore, checkStore, openStore, type StoreOptions } from './disk-store.ts';
export type { SessionStore } from './port.ts';
export { RecordingFiles } from './recordings/recording-files.ts';
