// Reads nothing before SIGUSR1; then prints the number of bytes before the first Z.
let count = 0;

/** @param {Buffer} bytes */
function onInput(bytes) {
  const end = bytes.indexOf('Z');
  count += end < 0 ? bytes.length : end;
  if (end < 0) return;
  console.log(`${count} before Z`);
  process.exit(0);
}

process.stdin.setRawMode(true);
process.on('SIGUSR1', () => process.stdin.on('data', onInput));
setInterval(() => {}, 1000);
console.log('ready');
