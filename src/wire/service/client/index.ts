/** What programs load to call a coordinator: a bundle of its own, without the server. */
export { connect } from './connect.ts';
export { remoteJsonCalls } from './remote-json-calls.ts';
export { responds, respondsInTime } from './silence.ts';
export { silenceLimitMs } from './silence-limits.ts';
