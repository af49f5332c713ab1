// What a person sees of a session, as pure functions. An action changes the state and causes effects;
// a picture follows from the state.

export type { Action } from './action.ts';
export { compose } from './compose.ts';
export type { Effect } from './effect.ts';
export { isForView } from './input.ts';
export { sessionSize, wantedMouse } from './picture/layout.ts';
export { ViewReads } from './reading/view-reads.ts';
export { screenOf } from './session-screen.ts';
export { update } from './update.ts';
export {
  drives,
  initialView,
  type StatusMode,
  type ViewOptions,
  type ViewState,
  wakeAtMs,
} from './view-state.ts';
