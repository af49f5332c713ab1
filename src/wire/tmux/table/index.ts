export { type CommandRow, commandRow } from './command-table.ts';
