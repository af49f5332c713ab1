export { CastEncoder } from './cast-encoder.ts';
export { parseCast } from './parse-cast.ts';
export {
  type CastTheme,
  type CastVersion,
  castVersions,
  type RecordedEvent,
  type RecordedNote,
  type Recording,
  type RecordingHeader,
} from './recording.ts';
