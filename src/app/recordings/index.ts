// What commands do with recordings, and their pictures. Other commands do not load it.

export { redactText } from '#recording';
export { PlayingTime, Replay, recordedTime } from '#replay';
export { exportRecording, recordedFrames } from './export-recording.ts';
export { screenshotOf } from './pictures/terminal-pictures.ts';
export { parseRecording, readRecording } from './read-recording.ts';
export { redactRecording, secretRules } from './redact-recording.ts';
