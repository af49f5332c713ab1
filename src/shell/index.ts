export { integrateShell, mayBeShell } from './integrate-shell.ts';
export { Ledger, type LedgerOptions } from './ledger.ts';
