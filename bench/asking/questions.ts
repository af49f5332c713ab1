import { performance } from 'node:perf_hooks';
import type { Coordinator } from 'vtr';
import { size } from './asker.ts';

/** A program that asks once, some time after its start. */
export interface Question {
  readonly what: string;
  readonly program: string;
  readonly args: readonly string[];
  /** The end of what it prints when it asks. */
  readonly text: string;
}

const shellAsking = (seconds: number): Question => ({
  what: `read -p of bash, after ${seconds} s`,
  program: 'bash',
  args: ['--norc', '-c', `echo begun; sleep ${seconds}; read -rp 'Name? ' name`],
  text: 'Name? ',
});

export const questions: readonly Question[] = [
  shellAsking(0.1),
  shellAsking(0.25),
  shellAsking(0.95),
  shellAsking(1.2),
  {
    what: 'pdb, after 0.6 s',
    program: 'python3',
    args: ['-c', 'import time; print("begun"); time.sleep(0.6); breakpoint()'],
    text: '(Pdb) ',
  },
];

/** Returns how long after the output of the question a wait for it ends, in ms. */
export async function questionDelayMs(
  coordinator: Coordinator,
  { program, args, text }: Question,
): Promise<number> {
  const session = await coordinator.spawn({ program, args, size });
  const subscription = await coordinator.subscribe(session);
  try {
    const wait = coordinator.wait(session, { asks: true, timeoutMs: 20_000 });
    const ended = wait.then((result) => ({ result, atMs: performance.now() }));
    let output = '';
    let askedMs = 0;
    for await (const event of subscription) {
      if (event.type === 'output') output += Buffer.from(event.bytes).toString('latin1');
      if (event.type === 'snapshot') output += Buffer.from(event.dump).toString('latin1');
      askedMs = performance.now();
      if (output.endsWith(text)) break;
    }
    const { result, atMs } = await ended;
    if (result.outcome === 'timed_out') throw new Error(`no question: ${JSON.stringify(output)}`);
    return atMs - askedMs;
  } finally {
    await coordinator.remove(session, { force: true });
  }
}
