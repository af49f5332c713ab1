import { VtrError } from 'vtr';
import { isInstalled } from './programs.ts';
import type { Scene } from './scene.ts';
import type { Stage } from './stage.ts';
import { Surprise } from './surprise.ts';

/** Titles of scenes, by how they went. */
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
    const number = index + 1;
    stage.story.scene(number, scene.title);
    const outcome = await playOne(scene, stage);
    if (outcome !== 'interrupted') result[outcome].push(`${number}. ${scene.title}`);
  }
  return result;
}

async function playOne(scene: Scene, stage: Stage): Promise<keyof Result | 'interrupted'> {
  if (scene.needs !== undefined && !(await isInstalled(scene.needs))) {
    stage.story.skipped(`this machine has no ${scene.needs}`);
    return 'skipped';
  }
  try {
    await scene.play(stage);
    await stage.clear();
    return 'shown';
  } catch (error) {
    if (stage.signal.aborted) return 'interrupted';
    stage.story.surprise(asSurprise(error));
    await stage.clear();
    return 'failed';
  }
}

/** @throws `error` itself when it is a mistake in the demo */
function asSurprise(error: unknown): Surprise {
  if (error instanceof Surprise) return error;
  if (error instanceof VtrError) return new Surprise('no error', `${error.code}, ${error.message}`);
  throw error;
}
