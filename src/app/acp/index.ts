export { runAcp } from './run-acp.ts';
