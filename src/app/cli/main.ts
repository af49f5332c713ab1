// The `vtr` command.
import { contextOfProcess } from './process-context.ts';
import { runCommand } from './run-command.ts';

const words = process.argv.slice(2);
const context = contextOfProcess('vtr');
/** Verbs that return before what they have begun has ended: this process ends by itself then. */
const servers = ['serve', 'mcp', 'acp'];

runCommand(words, context).then((status) => {
  if (servers.includes(words[0] ?? '')) process.exitCode = status;
  else context.end(status);
});
