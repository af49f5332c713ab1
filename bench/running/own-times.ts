import { performance } from 'node:perf_hooks';
import type { Coordinator } from '#model';
import { OwnTerminal } from '../measuring/own-terminal.ts';
import { type ShellPlace, size } from './runner.ts';
import { prompt } from './shell-home.ts';

/** A line of a shell, and the time that its command takes by itself. */
export interface PlainLine {
  readonly line: string;
  readonly ms: number;
}

const plainLines: readonly PlainLine[] = [
  { line: 'sleep 0.1', ms: 100 },
  { line: 'true', ms: 0 },
];

/** Elapsed ms above the time of the command. */
export interface OwnTimes extends PlainLine {
  readonly vtr: readonly number[];
  /** From Enter to the next prompt of a bash without integration, in a pseudo-terminal of this process. */
  readonly bash: readonly number[];
}

/** Each line by the library across the socket, and by bash alone, in turns. */
export async function measureOwnTimes(
  coordinator: Coordinator,
  { directory, env }: ShellPlace,
  turns: number,
): Promise<OwnTimes[]> {
  const session = await coordinator.spawn({ program: 'bash', cwd: directory, env, size });
  await coordinator.wait(session, { prompt: true });
  const bash = await OwnTerminal.start(size, ['bash'], env);
  try {
    await bash.shows(prompt.trimEnd());
    const all = plainLines.map((each) => ({ ...each, vtr: [] as number[], bash: [] as number[] }));
    for (let turn = 0; turn < turns; turn++) {
      for (const { line, ms, ...times } of all) {
        times.vtr.push((await elapsedMs(() => coordinator.run(session, { line }))) - ms);
        times.bash.push((await elapsedMs(() => enter(bash, line))) - ms);
      }
    }
    return all;
  } finally {
    await bash.close();
    await coordinator.remove(session, { force: true });
  }
}

/** The echo of the line has no prompt in it. */
async function enter(bash: OwnTerminal, line: string): Promise<void> {
  const shown = bash.prints(prompt);
  await bash.write(`${line}\r`);
  await shown;
}

async function elapsedMs(work: () => Promise<unknown>): Promise<number> {
  const begin = performance.now();
  await work();
  return performance.now() - begin;
}
