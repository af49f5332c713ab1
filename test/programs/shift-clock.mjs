// Preloaded into a PTY host: moves its clocks by the milliseconds that arrive at a socket, one number
// per line. The path of the socket is in VTR_TEST_CLOCK.
import { createServer } from 'node:net';

const realNow = performance.now.bind(performance);
const realWall = Date.now;
let offsetMs = 0;
performance.now = () => realNow() + offsetMs;
Date.now = () => realWall() + offsetMs;

const server = createServer((connection) => {
  connection.on('error', () => {});
  connection.on('data', (chunk) => {
    for (const line of chunk.toString().trim().split('\n')) offsetMs += Number(line);
  });
  connection.unref();
});
server.listen(process.env['VTR_TEST_CLOCK']);
server.unref();
