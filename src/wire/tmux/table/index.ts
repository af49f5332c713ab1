export { type CommandRow, commandRow } from './command-table.ts';
export { noServerMessage } from './no-server.ts';
