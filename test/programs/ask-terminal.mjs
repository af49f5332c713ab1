// Queries the position of the cursor argv[2] times, and reads nothing before SIGUSR1. After each read from the
// first `Z` on, prints all input so far: the number of bytes of answers, and the rest with its runs counted.
let text = '';

process.stdin.setRawMode(true);
process.stdin.setEncoding('latin1');

/** @param {string} piece */
function onInput(piece) {
  text += piece;
  if (!text.includes('Z')) return;
  // The answers are one kind of bytes, and must not split another kind.
  const rest = text.replace(/\x1b\[\d+;\d+R/g, '');
  const runs = rest.replace(/(.)\1*/g, (run) => `${run[0]}${run.length} `);
  const split = /x(\x1b\[\d+;\d+R)+x/.test(text) ? 'split' : 'whole';
  console.log(`\r\n${text.length - rest.length} of answers; ${runs}${split} end`);
}

process.on('SIGUSR1', () => process.stdin.on('data', onInput));
setInterval(() => {}, 1000);
process.stdout.write('\x1b[6n'.repeat(Number(process.argv[2])), () => console.log('\r\nready'));
