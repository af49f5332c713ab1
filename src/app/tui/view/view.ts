// What a person sees of a session, as pure functions. An action changes the state and causes effects;
// a picture follows from the state.

export { compose } from './compose.ts';
export { isForView } from './input.ts';
export { sessionSize, wantedMouse } from './layout.ts';
export { screenOf } from './session-screen.ts';
export { update } from './update.ts';
export { ViewReads } from './view-reads.ts';
export {
  type Action,
  drives,
  type Effect,
  initialView,
  type Notification,
  type NotificationMode,
  type StatusMode,
  type ViewOptions,
  type ViewState,
  type Wanting,
  wakeAtMs,
} from './view-state.ts';
