// The process of a PTY host: `vtr-ptyd SOCKET VERSION`. It writes a line to stdout when it listens.
import { runPtyd } from './run-ptyd.ts';

const [socket, version] = process.argv.slice(2);
if (socket === undefined || version === undefined) {
  process.stderr.write('usage: vtr-ptyd SOCKET VERSION\n');
  process.exitCode = 2;
} else {
  process.stdout.on('error', () => {});
  runPtyd({ socket, version, onListening: () => process.stdout.end('ready\n') });
}
