import { syncBuiltinESMExports } from 'node:module';
import { failClock } from './failing-clock.ts';
import { failFiles } from './failing-files.ts';
import { failPrograms } from './failing-programs.ts';
import { failSockets } from './failing-sockets.ts';

// Before any module of src is loaded: some keep functions of Node in constants.
await failFiles();
failSockets();
failPrograms();
failClock();
syncBuiltinESMExports();
