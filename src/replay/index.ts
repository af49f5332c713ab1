export { Playhead, PlayingTime } from './playhead.ts';
export { cutRecording, recordedLines, recordedRange, recordedTime } from './recorded-times.ts';
export { Replay, replayScrollback, type TimeRange } from './replay.ts';
export { matchesInTime, searchInTime } from './search-in-time.ts';
