// Prints the time in ms every 5 ms, as `t1700000000000`, and writes the same to the file argv[2].
import { appendFileSync, writeSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

const [file = ''] = process.argv.slice(2);
for (;;) {
  const line = `t${Date.now()}\n`;
  writeSync(1, line);
  appendFileSync(file, line);
  await pause(5);
}
