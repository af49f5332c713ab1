export { openStore, type StoreOptions } from './disk-store.ts';
export type { LostSession, LostSessions, SessionStore, SkippedFile } from './port.ts';
