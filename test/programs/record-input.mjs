// Reads messages that end with `;` in raw mode; at a `~` prints them, one per line, and exits.
let text = '';

process.stdin.setRawMode(true);
process.stdin.setEncoding('latin1');
process.stdin.on('data', (/** @type {string} */ piece) => {
  text += piece;
  if (!text.endsWith('~')) return;
  process.stdout.write(`\r\n${text.slice(0, -1).replaceAll(';', ';\r\n')}`, () => process.exit(0));
});
console.log('ready');
