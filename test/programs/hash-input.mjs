// Reads argv[2] bytes in raw mode and prints their SHA-1.
import { createHash } from 'node:crypto';

const wanted = Number(process.argv[2]);
const hash = createHash('sha1');
let seen = 0;

process.stdin.setRawMode(true);
process.stdin.on('data', (bytes) => {
  hash.update(bytes);
  seen += bytes.length;
  if (seen < wanted) return;
  console.log(`${seen} ${hash.digest('hex')} end`);
  process.exit(0);
});
console.log('ready');
