import type { Stage } from './stage.ts';

/** One thing that vtr can do, shown on a real program. */
export interface Scene {
  readonly title: string;
  /** A program that machines may lack: the scene is skipped there. */
  readonly needs?: string;
  /** Fails where that program is there and does not work. For sh. */
  readonly probe?: string;
  /** @throws Surprise when something else is seen than what ought to be */
  play(stage: Stage): Promise<void>;
}
