export { CastEncoder } from './cast-encoder.ts';
export { parseCast } from './parse-cast.ts';
export type {
  CastVersion,
  RecordedEvent,
  Recording,
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
