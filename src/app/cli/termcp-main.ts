// The `termcp` command.
import { contextOfProcess } from './process-context.ts';
import { runTermcp } from './termcp/termcp-command.ts';

runTermcp(process.argv.slice(2), contextOfProcess('termcp')).then((status) => {
  process.exitCode = status;
});
