export { integrateShell, mayBeShell } from './integrate-shell.ts';
export { Ledger } from './ledger.ts';
