// Reads argv[2] bytes in raw mode and prints their SHA-1.
import { createHash } from 'node:crypto';

const total = Number(process.argv[2]);
const hash = createHash('sha1');
let length = 0;

process.stdin.setRawMode(true);
process.stdin.on('data', (bytes) => {
  hash.update(bytes);
  length += bytes.length;
  if (length < total) return;
  console.log(`${length} ${hash.digest('hex')} end`);
  process.exit(0);
});
console.log('ready');
