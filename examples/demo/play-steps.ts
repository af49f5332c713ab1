import { isInstalled, succeeds } from './programs.ts';
import type { Stage } from './stage.ts';

/** One thing that vtr does, shown with a real program. */
export interface Step {
  readonly title: string;
  /** A program that a machine may lack; the step is skipped without it. */
  readonly needs?: string;
  /** A command for sh that fails when the program is installed and does not work. */
  readonly probe?: string;
  /** Returns the result in a sentence. @throws Error when it sees something unexpected */
  play(stage: Stage): Promise<string>;
}

/** A step with its result in a sentence: seen (✓), skipped (-) or failed (✗). */
export interface Result {
  readonly title: string;
  readonly mark: '✓' | '-' | '✗';
  readonly sentence: string;
}

/** Plays the steps with these numbers, or all. One that fails does not prevent the next one. */
export async function playSteps(
  steps: readonly Step[],
  numbers: readonly string[],
  stage: Stage,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const [index, step] of steps.entries()) {
    if (numbers.length > 0 && !numbers.includes(`${index + 1}`)) continue;
    const title = `${index + 1}. ${step.title}`;
    stage.story.title(title);
    const result = { title, ...(await play(step, stage)) };
    // A step that is interrupted has no result.
    if (stage.signal.aborted) break;
    stage.story.result(result);
    results.push(result);
  }
  return results;
}

async function play(step: Step, stage: Stage): Promise<Omit<Result, 'title'>> {
  const lack = await lackFor(step);
  if (lack !== null) return { mark: '-', sentence: `Skipped: ${lack}.` };
  try {
    const sentence = await step.play(stage);
    await stage.clear();
    return { mark: '✓', sentence };
  } catch (error) {
    await stage.clear({ show: true }).catch(() => {});
    return { mark: '✗', sentence: (error as Error).message };
  }
}

/** Why the step cannot be played on this machine; null when it can. */
async function lackFor({ needs, probe }: Step): Promise<string | null> {
  if (needs === undefined) return null;
  if (!(await isInstalled(needs))) return `this machine has no ${needs}`;
  if (probe === undefined || (await succeeds(probe))) return null;
  return `${needs} does not work here: ${probe}`;
}
