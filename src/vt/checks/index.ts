// The door for tests and reports of bugs. No program of vtr loads it.

export { inspect, stateOf } from './inspect.ts';
export { verify } from './verify.ts';
