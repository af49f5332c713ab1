export { ArchiveFiles } from './archive/archive-files.ts';
export {
  type CheckedStore,
  type ClearedStore,
  checkStore,
  clearStore,
} from './checked-store.ts';
export { openStore, type StoreOptions } from './disk-store.ts';
export type { SessionStore, SkippedFile } from './port.ts';
export { RecordingFiles } from './recordings/recording-files.ts';
