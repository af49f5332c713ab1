// A person's own terminal, as a pure room:
//
// - painting: pictures, and the bytes that change one into the next
// - decoding: what the terminal sends, as keys, pastes, mouse events and replies

export { ProbeAnswers, probe, statusQuery } from './decoding/replies.ts';
export { TtyDecoder } from './decoding/tty-decoder.ts';
export type { TtyEvent, TtyKey, TtyReply } from './decoding/tty-event.ts';
export {
  type Capabilities,
  canPaint,
  capabilitiesOf,
  type TtyEnvironment,
} from './painting/capabilities.ts';
export { type NotifiedText, notificationBytes } from './painting/notification.ts';
export { type Painted, paint } from './painting/paint.ts';
export type { Picture } from './painting/painted-row.ts';
export {
  enterAgain,
  enterMore,
  enterRawTty,
  enterTty,
  initialTtyModes,
  leaveRawTty,
  leaveTty,
  requestModes,
  type TtyModes,
  ttyModesFor,
} from './painting/tty-modes.ts';
