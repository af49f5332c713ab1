export { integrateShell } from './integrate-shell.ts';
export { Ledger } from './ledger.ts';
export type { ShellProof } from './spawn.ts';
