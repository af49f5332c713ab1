export { Ledger, type LedgerOptions, type LedgerView } from './ledger.ts';
