import { VtrError } from 'vtr';
import { isInstalled, succeeds } from './programs.ts';
import type { Scene } from './scene.ts';
import type { Stage } from './stage.ts';
import { Surprise } from './surprise.ts';

/** The scenes by how they went, in words. */
export interface Result {
  readonly shown: string[];
  readonly skipped: string[];
  readonly failed: string[];
}

/** Plays one scene after the other; one that fails does not keep the others from being shown. */
export async function playAll(scenes: readonly Scene[], stage: Stage): Promise<Result> {
  const result: Result = { shown: [], skipped: [], failed: [] };
  for (const [index, scene] of scenes.entries()) {
    if (stage.signal.aborted) break;
    const title = `${index + 1}. ${scene.title}`;
    stage.story.scene(title);
    const lack = await lackFor(scene);
    // Ctrl+c reaches what looks for programs too.
    if (stage.signal.aborted) break;
    if (lack === null) {
      await playOne(scene, title, stage, result);
    } else {
      stage.story.skipped(lack);
      result.skipped.push(title);
    }
  }
  return result;
}

/** Why the scene cannot be played on this machine; null where it can. */
async function lackFor({ needs, probe }: Scene): Promise<string | null> {
  if (needs === undefined) return null;
  if (!(await isInstalled(needs))) return `this machine has no ${needs}`;
  if (probe === undefined || (await succeeds(probe))) return null;
  return `${needs} does not work here: ${probe}`;
}

async function playOne(scene: Scene, title: string, stage: Stage, result: Result): Promise<void> {
  const seen = await surpriseIn(() => scene.play(stage));
  const cleared = await surpriseIn(() => stage.clear());
  const surprise = seen ?? cleared;
  // What is seen while the demo is being ended says nothing.
  if (stage.signal.aborted) return;
  if (surprise === null) {
    result.shown.push(title);
  } else {
    stage.story.surprise(surprise);
    result.failed.push(`${title}: ${surprise.message}`);
  }
}

/** @throws what is neither a surprise nor an error of vtr's: a mistake in the demo */
async function surpriseIn(act: () => Promise<void>): Promise<Surprise | null> {
  try {
    await act();
    return null;
  } catch (error) {
    if (error instanceof Surprise) return error;
    if (error instanceof VtrError)
      return new Surprise('no error', `${error.code}, ${error.message}`);
    throw error;
  }
}
