// The process of a PTY host: `vtr-ptyd SOCKET VERSION [wait]`. It writes a line to stdout when it listens.
// With `wait`, it listens when it has read a byte from stdin, and exits if there is none.
import { readSync } from 'node:fs';
import { runPtyd } from './run-ptyd.ts';

const [socket, version, wait] = process.argv.slice(2);
if (socket === undefined || version === undefined) {
  process.stderr.write('usage: vtr-ptyd SOCKET VERSION [wait]\n');
  process.exitCode = 2;
} else if (wait === undefined || readSync(0, Buffer.alloc(1)) > 0) {
  process.stdout.on('error', () => {});
  runPtyd({ socket, version, onListening: () => process.stdout.end('ready\n') });
}
