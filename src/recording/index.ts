export { CastEncoder } from './cast-encoder.ts';
export { parseCast } from './parse-cast.ts';
export type {
  CastVersion,
  RecordedEvent,
  Recording,
} from './recording.ts';
