// The `termcp` command.
import { contextOfProcess } from './process-context.ts';
import { runTermcp } from './termcp.ts';

runTermcp(process.argv.slice(2), contextOfProcess('termcp')).then((status) => {
  process.exitCode = status;
});
