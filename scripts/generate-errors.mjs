// Prints docs/errors.md: the table of errors.
import { errorTable } from '#model';

/** @param {readonly (string | number)[]} cells */
const row = (...cells) => `| ${cells.join(' | ')} |`;

const lines = [
  '# Errors',
  '',
  '<!-- Made by scripts/generate-errors.mjs from src/model/errors.ts. -->',
  '',
  'Every failure that vtr reports is one of these codes, whichever way it was asked. A time-out, an',
  'exit and "no match" are results of a wait, not errors.',
  '',
  row('code', 'means', 'gRPC status', 'exit status', 'MCP code word', 'ACP code'),
  row('---', '---', '---', '--:', '---', '--:'),
  ...Object.entries(errorTable).map(([code, { meaning, grpc, exit, mcp, acp }]) =>
    row(`\`${code}\``, meaning, `\`${grpc}\``, exit, `\`${mcp}\``, acp),
  ),
];
process.stdout.write(`${lines.join('\n')}\n`);
