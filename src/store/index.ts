export { type CheckedStore, checkStore } from './check-store.ts';
export { openStore, type StoreOptions } from './disk-store.ts';
export type { SessionStore } from './port.ts';
