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
export { Redactor, type TimedText } from './redaction/redactor.ts';
export {
  literalRule,
  matcherRule,
  type SecretMatcher,
  type SecretRule,
  type Span,
  tokenRule,
} from './redaction/secrets.ts';
