export { Ledger, type LedgerOptions } from './ledger.ts';
