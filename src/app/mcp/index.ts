export { runMcp, serveMcp } from './run-mcp.ts';
