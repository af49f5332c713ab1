import type { Effect } from './effect.ts';
import { driverText } from './picture/driver-text.ts';
import { drives, type Step, step, type ViewState, withNotice } from './view-state.ts';

/** Returns the state after input for the program, which is sent, or the reason why it is not. */
export function typed(
  state: ViewState,
  effect: Extract<Effect, { type: 'sendKey' | 'sendText' }>,
): Step {
  const { scroll, connection, viewing } = state;
  if (scroll !== null || connection.state === 'ended') return step(state);
  if (connection.state === 'lost' || connection.state === 'silent') {
    const why = connection.state === 'lost' ? 'the connection is lost' : 'it is not answering';
    return step(withNotice(state, `not sent: ${why}`), { type: 'ring' });
  }
  // What is typed again brings back what is seen around the cursor.
  if (drives(state)) return step(following(state), effect);
  const reason = viewing === null ? 'not sent: the session is not joined yet' : driverText(state);
  return step(withNotice(state, reason));
}

const following = (state: ViewState): ViewState =>
  state.pan.follows ? state : { ...state, pan: { ...state.pan, follows: true } };
