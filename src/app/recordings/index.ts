// What commands do with recordings. Other commands do not load it.

export { PlayingTime, Replay, recordedTime } from '#replay';
export { exportRecording } from './export-recording.ts';
export { readRecording } from './read-recording.ts';
