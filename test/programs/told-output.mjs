// Writes output of a kind (flood, screen, lines) without end until the file argv[3] exists, and all of
// it to the file argv[4] as well, in the same order. Exits with status 7 then. `screen` queries the
// terminal, and fails with status 8 unless each query was answered once. The terminal must not change
// output (stty -opost).
import { appendFileSync, existsSync, writeSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

const [kind = 'lines', seed = '1', stopFile = '', copyFile = ''] = process.argv.slice(2);
let state = Number(seed);

/** @param {number} below */
function random(below) {
  state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff;
  return (state >> 8) % below;
}

/** @param {string} text */
function write(text) {
  const bytes = Buffer.from(text);
  appendFileSync(copyFile, bytes);
  for (let at = 0; at < bytes.length; ) at += writeSync(1, bytes, at);
}

const words = ['lorem', 'ipsum', '漢字', 'é', 'x'.repeat(90), '😀', '--'];
const word = () => words[random(words.length)];
let count = 0;
let line = 0;

/** @type {Record<string, () => string>} */
const pieces = {
  flood: () => {
    let text = '';
    for (let left = 2_000; left > 0; left--) {
      text += `\x1b[38;2;${random(256)};${random(256)};0m${line++} ${word()} ${word()}\x1b[m\r\n`;
    }
    return text;
  },
  screen: () => {
    let text = random(20) === 0 ? `\x1b[?1049${'hl'[random(2)]}` : '';
    text += `\x1b[?2026h\x1b]2;frame ${line++}\x07`;
    for (let left = 20; left > 0; left--) {
      text += `\x1b[${1 + random(24)};${1 + random(80)}H\x1b[3${random(8)}m${word()}`;
    }
    count++;
    return `${text}\x1b[?2026l\x1b[5n`;
  },
  lines: () => `line ${line++} ${word()}\r\n`,
};
const piece = pieces[kind];
if (piece === undefined) throw new Error(`unknown kind ${kind}`);

let answers = '';
if (kind === 'screen') {
  process.stdin.setRawMode(true);
  process.stdin.setEncoding('latin1');
  process.stdin.on('data', (/** @type {string} */ text) => {
    answers += text;
  });
}
while (!existsSync(stopFile)) {
  // At most 4 KiB of answers wait for a program, and a killed daemon answers late.
  const unanswered = 4 * count - answers.length;
  if (unanswered < 2_000) write(piece());
  await pause(kind === 'flood' ? 60 : 15);
}
write(`\x1b[?1049l\x1b[m\r\nthe end\r\n`);
if (kind === 'screen') {
  for (let left = 1_200; left > 0 && answers.length < 4 * count; left--) await pause(50);
  const expected = '\x1b[0n'.repeat(count);
  if (answers !== expected) {
    const answered = answers.split('\x1b[0n').length - 1;
    const other = answers.replaceAll('\x1b[0n', '');
    appendFileSync(`${copyFile}.answers`, JSON.stringify({ asked: count, answered, other }));
    process.exit(8);
  }
}
process.exit(7);
