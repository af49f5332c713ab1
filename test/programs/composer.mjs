// A composer as agents' programs have it, with their published rules for telling a paste from typing by time:
//
// - codex: characters less than 8 ms apart are a burst. Enter in a burst, or within 120 ms after it, is a line end of the
//   text. More than 1,000 characters of a burst are kept back until the next key.
// - claude: a read of more than 800 bytes is a paste. Enter in a read with text, or within 100 ms after a paste, is a line
//   end of the text. A paste is shown as a placeholder. LF is always a line end.
//
// composer.mjs RULES [primary|alternate] [LOST] [WORK] [START] appends each text that is submitted to the file `submitted`, as
// JSON. It takes the first LOST Enters for line ends, works for WORK ms before it takes what it has read, and for START
// ms before it asks for raw mode.
import { appendFileSync } from 'node:fs';

const [rules, screen, lost = '0', work = '0', start = '0'] = process.argv.slice(2);
const pasteBegin = '\x1b[200~';
const pasteEnd = '\x1b[201~';
let text = '';
let heldBack = '';
let count = 0;
let isPaste = false;
let lastAt = 0;
let fast = 0;
let lineEndUntil = 0;
let lostEnters = Number(lost);

function draw() {
  const shown = rules === 'claude' && text.length > 800 ? '[Pasted text #1]' : text.slice(-1000);
  const rows = [count > 0 ? `sent ${count}` : 'ready', '', ...`> ${shown}`.split('\n')];
  const body = rows.map((row) => `${row}\x1b[K\r\n`).join('');
  process.stdout.write(`\x1b[?2026h\x1b[H${body}\x1b[K\r\n  for shortcuts: ?\x1b[J\x1b[?2026l`);
}

function submit() {
  if (lostEnters-- > 0) {
    text += '\n';
    return;
  }
  appendFileSync('submitted', `${JSON.stringify(text)}\n`);
  text = '';
  count++;
}

/**
 * Characters that arrived together, outside a paste.
 *
 * @param {string} chunk
 * @param {number} now in ms
 */
function typed(chunk, now) {
  for (const char of chunk) {
    const isEnter = char === '\r' || char === '\n';
    if (isEnter && heldBack !== '') {
      text += `${heldBack}\n`;
      heldBack = '';
    } else if (isEnter && (now < lineEndUntil || (rules === 'claude' && isLineEnd(char, chunk)))) {
      text += '\n';
      if (rules === 'codex') lineEndUntil = now + 120;
    } else if (isEnter) {
      submit();
    } else add(char, now);
    if (isEnter) fast = 0;
  }
  if (rules === 'claude' && chunk.length > 800) lineEndUntil = now + 100;
}

/** @param {string} char @param {string} chunk */
const isLineEnd = (char, chunk) => char === '\n' || chunk.length > 1;

/** @param {string} char @param {number} now */
function add(char, now) {
  if (rules === 'codex') {
    fast = now - lastAt < 8 ? fast + 1 : 1;
    lastAt = now;
    if (fast > 1) lineEndUntil = now + 120;
    if (fast > 1000) heldBack += char;
    else text += char;
  } else text += char;
}

/** @param {string} chunk @param {number} now */
function pasted(chunk, now) {
  text += chunk.replaceAll('\r', '\n');
  // A composer that knows its paste is complete takes the next Enter as one.
  lineEndUntil = rules === 'claude' ? now + 100 : 0;
  fast = 0;
}

/** @param {string} ms */
function compute(ms) {
  const begun = performance.now();
  while (performance.now() < begun + Number(ms));
}

/** @param {string} chunk */
function read(chunk) {
  compute(work);
  const now = performance.now();
  // Focus reports are no text.
  for (const part of chunk.replace(/\x1b\[[IO]/g, '').split(/(\x1b\[20[01]~)/)) {
    if (part === pasteBegin || part === pasteEnd) isPaste = part === pasteBegin;
    else if (part !== '' && isPaste) pasted(part, now);
    else if (part !== '') typed(part, now);
  }
  draw();
}

compute(start);
process.stdin.setRawMode(true);
process.stdin.setEncoding('utf8');
process.stdin.on('data', read);
if (screen === 'alternate') process.stdout.write('\x1b[?1049h');
process.stdout.write(`\x1b[?2004h\x1b[?1004h${rules === 'codex' ? '\x1b[>1u' : ''}`);
draw();
