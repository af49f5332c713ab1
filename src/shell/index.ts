export { emptyLedger, type SavedLedger } from './command-log.ts';
export { integrateShell } from './integrate-shell.ts';
export { removeKeyFile, removeLeftKeyFiles } from './key-file.ts';
export { Ledger } from './ledger.ts';
export type { ShellProof } from './spawn.ts';
export { type StatusQuery, statusQuery } from './status-query.ts';
