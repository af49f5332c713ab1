// Writes output of real programs without end, with changed, lost, repeated and random bytes. Arguments: a
// seed, and directories with files of output (*.bin).
import { readdirSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const [seed = '1', ...directories] = process.argv.slice(2);
let state = Number(seed);

/** @param {number} below */
function random(below) {
  state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff;
  return (state >> 8) % below;
}

const files = directories.flatMap((directory) =>
  readdirSync(directory)
    .filter((name) => name.endsWith('.bin'))
    .sort()
    .map((name) => readFileSync(join(directory, name))),
);
const noise = () => Buffer.from(Array.from({ length: 1 + random(2_000) }, () => random(256)));

/** A part of a recording, with a few changes. */
function mutated() {
  const bytes = files[random(files.length)] ?? noise();
  const from = random(bytes.length);
  const piece = Buffer.from(bytes.subarray(from, from + 1 + random(4_000)));
  for (let left = random(12); left > 0; left--) piece[random(piece.length)] = random(256);
  const cut = random(piece.length);
  return random(3) === 0 ? Buffer.concat([piece.subarray(cut), piece.subarray(0, cut)]) : piece;
}

process.stdin.setRawMode(true);
process.stdin.resume();
for (;;) {
  const bytes = random(4) === 0 ? noise() : mutated();
  for (let at = 0; at < bytes.length; ) at += writeSync(1, bytes, at);
  await pause(2);
}
