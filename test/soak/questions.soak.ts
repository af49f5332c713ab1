import { readFileSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, onTestFinished } from 'vitest';
import { createPtyHost } from '#pty';
import { collectOutput } from '../support/pty/collect-output.ts';
import { hasProc } from '../support/pty/process-facts.ts';
import { ptyRequest } from '../support/pty/pty-request.ts';
import { shortened } from '../support/run/durations.ts';
import { provided } from '../support/run/needs.ts';

const rounds = shortened(20_000);

/** Prints a prompt after each line that it reads. */
const prompter = `
stty -echo
printf ready
number=0
while read -r _; do
  printf 'name%d? ' $number
  number=$((number + 1))
done`;

const linux = provided(hasProc, 'only on Linux: reads /proc');

linux(`${rounds} questions have been read when their program is reported to read`, async () => {
  const host = createPtyHost();
  onTestFinished(() => host.close());
  const pty = await host.spawn(ptyRequest('sh', ['-c', prompter]));
  const output = collectOutput(pty);
  await output.untilText('ready');
  /** What the program has written, in bytes. */
  const written = () => {
    const facts = readFileSync(`/proc/${pty.pid}/io`, 'utf8');
    return Number(/^wchar: (\d+)/m.exec(facts)?.[1]);
  };
  let missed = 0;
  for (let round = 0; round < rounds; round++) {
    const prompt = `name${round}? `;
    const end = written() + prompt.length;
    await pty.write(Buffer.from('\n'));
    for (let isAsked = false; !isAsked; ) {
      const hasWritten = written() >= end;
      const { readsTerminal } = await pty.foreground();
      isAsked = hasWritten && readsTerminal === true;
    }
    if (!output.text.endsWith(prompt)) missed++;
    while (!output.text.endsWith(prompt)) await nextTurn();
  }
  expect(missed).toBe(0);
});
