import type { Effect } from './effect.ts';
import type { ViewState } from './view-state.ts';

/** The next state, and what is to be done. */
export interface Step {
  readonly state: ViewState;
  readonly effects: readonly Effect[];
}

export const step = (state: ViewState, ...effects: readonly Effect[]): Step => ({ state, effects });
