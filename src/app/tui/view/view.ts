// What a person sees of a session, as pure functions. An action changes the state and causes effects;
// a picture follows from the state.

export type { Action, Answer } from './action.ts';
export { compose } from './compose.ts';
export type { Effect, Read } from './effect.ts';
export { sessionSize, wantedMouse } from './picture/layout.ts';
export { ViewReads } from './reading/view-reads.ts';
export { type SessionScreen, screenOf } from './session-screen.ts';
export type { Step } from './step.ts';
export { update } from './update.ts';
export {
  type Connection,
  drives,
  initialView,
  type StatusMode,
  type ViewOptions,
  type ViewState,
  wakeAtMs,
} from './view-state.ts';
