import type { TaskRequest } from '../tasks/index.ts';
import { type Runner, runnerOf } from './measured-process.ts';
import type { TimeCost } from './task.ts';

export interface Effort {
  readonly rounds: number;
  /** The least duration of a round, in seconds; it determines the number of passes. */
  readonly secondsPerRound: number;
  /** The least work of a task before it is measured, in seconds; default 0. */
  readonly warmUpSeconds?: number;
  /** Runs the tasks in this process: quicker, only to check that they run. */
  readonly inThisProcess?: boolean;
}

/**
 * Measures the cost of a pass of each task, round by round. Every task has its own process for the whole
 * comparison, warmed up until a round is long enough to be measured. The rounds are interleaved, and
 * each starts with another task, so that the other load of the machine affects all.
 *
 * @param tasks by name
 * @returns for each name the cost per pass of every round, in the seconds of the task
 */
export async function compare<Name extends string>(
  tasks: Readonly<Record<Name, TaskRequest>>,
  effort: Effort,
): Promise<Record<Name, number[]>> {
  const contestants = Object.entries<TaskRequest>(tasks).map(([name, request]) => ({
    name,
    runner: runnerOf<TimeCost>(request, effort.inThisProcess),
    passes: 1,
    costs: [] as number[],
  }));
  try {
    for (const each of contestants) each.passes = await warmUp(each.runner, effort);
    for (let round = 0; round < effort.rounds; round++) {
      const first = round % contestants.length;
      for (const each of [...contestants.slice(first), ...contestants.slice(0, first)]) {
        const { seconds } = await each.runner.round(each.passes);
        each.costs.push(seconds / each.passes);
      }
    }
  } finally {
    await Promise.all(contestants.map((each) => each.runner.stop()));
  }
  const costs = contestants.map((each) => [each.name, each.costs]);
  return Object.fromEntries(costs) as Record<Name, number[]>;
}

/** @returns the number of passes that fill a round */
async function warmUp(
  runner: Runner<TimeCost>,
  { secondsPerRound, warmUpSeconds = 0 }: Effort,
): Promise<number> {
  let worked = 0;
  for (let passes = 1; ; ) {
    const { seconds } = await runner.round(passes);
    worked += seconds;
    if (seconds < secondsPerRound) {
      const factor = Math.min(10, (1.2 * secondsPerRound) / Math.max(seconds, 1e-5));
      passes = Math.max(passes + 1, Math.ceil(passes * factor));
    } else if (worked >= warmUpSeconds) return passes;
  }
}
