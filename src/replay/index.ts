export { Playhead } from './playhead.ts';
export { PlayingTime } from './playing-time.ts';
export { cutRecording, recordedLines } from './recorded-part.ts';
export { recordedRange, recordedTime } from './recorded-times.ts';
export { Replay, replayScrollback, type TimeRange } from './replay.ts';
export { searchInTime } from './search-in-time.ts';
