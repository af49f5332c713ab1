import { counted } from '#model';
import type * as runtime from '../runtime.ts';
import type { OverviewEffect } from './event.ts';
import type { Mode, OverviewModel } from './model.ts';

/** The next model, and what is to be done. */
export type Step = runtime.Step<OverviewModel, OverviewEffect>;

export const step = (state: OverviewModel, ...effects: readonly OverviewEffect[]): Step => ({
  state,
  effects,
});

/** A notice is shown for this time, in ms. */
const noticeMs = 4000;

/** Returns the model with a message for the person. */
export const noticed = (model: OverviewModel, text: string, isError = false): OverviewModel => ({
  ...model,
  notice: { text, isError, untilMs: model.nowMs + noticeMs },
});

/** Returns the model in another mode, with nothing to be done. */
export const inMode = (model: OverviewModel, mode: Mode): Step => step({ ...model, mode });

/** Returns `1 session`, `2 sessions`. */
export const sessionCount = (count: number): string => counted(count, 'session');
