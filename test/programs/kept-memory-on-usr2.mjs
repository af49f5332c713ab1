// Preloaded into daemons and PTY hosts: at SIGUSR2 it collects all garbage, and writes what is left of V8's heap and of
// buffers, in bytes, to the file $VTR_TEST_MEMORY.PID.
import { renameSync, writeFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');

process.on('SIGUSR2', () => {
  collect();
  // Buffers whose owners the first collection has found.
  collect();
  const { heapUsed, external } = process.memoryUsage();
  const file = `${process.env['VTR_TEST_MEMORY']}.${process.pid}`;
  writeFileSync(`${file}.new`, String(heapUsed + external));
  renameSync(`${file}.new`, file);
});
