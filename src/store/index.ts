export { ArchiveFiles } from './archive/archive-files.ts';
export {
  type CheckedStore,
  type ClearedStore,
  checkStore,
  clearStore,
  openStore,
  type StoreOptions,
} from './disk-store.ts';
export type { SessionStore, SkippedFile } from './port.ts';
export { RecordingFiles } from './recordings/recording-files.ts';
