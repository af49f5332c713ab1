import { afterEach, beforeEach, expect } from 'vitest';
import { LocalCoordinator } from '#coordinator';
import { needs, provided } from '../../../test/support/run/needs.ts';

/** Only Linux reports which program reads the terminal. */
const onLinux = process.platform === 'linux';
const using = onLinux ? needs('bash') : provided(false, 'only on Linux: reads /proc');

let coordinator: LocalCoordinator;
beforeEach(() => {
  coordinator = new LocalCoordinator();
});
afterEach(() => coordinator.close());

const lines = 20;

for (const [does, pause] of [
  ['computes', 'for ((n = 0; n < 20000; n++)); do :; done'],
  ['waits for a child', 'sleep 0.05'],
]) {
  using(`a program that prints, ${does} and prints again asks only when it reads`, async () => {
    const script = `for i in {1..${lines}}; do echo "line $i"; ${pause}; done; read -rp 'Name? '`;
    const session = await coordinator.spawn({ program: 'bash', args: ['--norc', '-c', script] });
    const result = await coordinator.wait(session, { asks: true, timeoutMs: 120_000 });
    expect(result).toMatchObject({ outcome: 'awaiting_input', question: 'Name?' });
    const { text } = await coordinator.screen(session);
    expect(text.slice(0, lines + 1)).toEqual([
      ...Array.from({ length: lines }, (_, index) => `line ${index + 1}`),
      'Name?',
    ]);
  });
}
