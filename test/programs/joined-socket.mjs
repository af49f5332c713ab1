// As `vtr connect`, but starts sooner: joins stdin and stdout to the socket of a coordinator.
import { connect } from 'node:net';

const [, , path = '', version] = process.argv;
const socket = connect(path, () => {
  process.stdout.write(`vtr-connect ${JSON.stringify({ version })}\n`);
  process.stdin.pipe(socket);
  socket.pipe(process.stdout);
});
socket.on('error', () => {});
socket.on('close', () => process.exit());
