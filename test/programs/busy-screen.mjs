// Paints argv[2] times at random (argv[3] is the seed): text that wraps and scrolls, colours, wide
// characters, margins, the alternate screen, titles. Pauses sometimes, so that others can run.
let state = Number(process.argv[3]);

/** @param {number} below */
function random(below) {
  state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff;
  return (state >> 8) % below;
}

const words = ['lorem', 'ipsum ', '漢字', 'é', 'x'.repeat(120), '😀', '\t', '--'];

const strokes = [
  () => words[random(words.length)],
  () => words[random(words.length)],
  () => '\r\n',
  () => `\x1b[${random(30)};${random(100)}H`,
  () => `\x1b[${random(2)};3${random(8)};4${random(8)}m`,
  () => `\x1b[38;2;${random(256)};${random(256)};${random(256)}m`,
  () => `\x1b[${random(3)}${['J', 'K'][random(2)]}`,
  () => `\x1b[${random(9)}${['@', 'P', 'L', 'M', 'S', 'T', 'X'][random(7)]}`,
  () => (random(9) === 0 ? `\x1b[?1049${'hl'[random(2)]}` : ''),
  () => (random(9) === 0 ? `\x1b[${1 + random(5)};${8 + random(9)}r` : ''),
  () => `\x1b]2;title ${random(1000)}\x07`,
  () => `\x1b${'78'[random(2)]}`,
];

function paint(/** @type {number} */ left) {
  if (left === 0) return;
  let piece = '';
  for (let count = 50; count > 0; count--) piece += strokes[random(strokes.length)]?.();
  process.stdout.write(piece, () => setImmediate(paint, left - 1));
}

paint(Number(process.argv[2]));
