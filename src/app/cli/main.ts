// The `vtr` command.
import { contextOfProcess } from './process-context.ts';
import { runCommand } from './run-command.ts';

runCommand(process.argv.slice(2), contextOfProcess('vtr')).then((status) => {
  process.exitCode = status;
});
