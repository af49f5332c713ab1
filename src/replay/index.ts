export { PlayingTime } from './playing-time.ts';
export { Replay, replayScrollback } from './replay.ts';
