export { integrateShell } from './integrate-shell.ts';
export { removeKeyFile } from './key-file.ts';
export { emptyLedger, Ledger, type SavedLedger } from './ledger.ts';
export type { ShellProof } from './spawn.ts';
