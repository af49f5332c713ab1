export { CastEncoder } from './cast-encoder.ts';
export { CastWriter } from './cast-writer.ts';
export { lineEnd } from './clean-output.ts';
export { parseCast } from './parse-cast.ts';
export type {
  CastVersion,
  RecordedEvent,
  Recording,
  RecordingHeader,
} from './recording.ts';
export { EventRedactor, redactHeader, redactText } from './redaction/event-redactor.ts';
export {
  findInOutput,
  findSecrets,
  type SecretSpan,
} from './redaction/find-secrets.ts';
export { keyWords, looksLikeKey, maxKeyLines } from './redaction/key-lines.ts';
export { mask, Redactor } from './redaction/redactor.ts';
export { literalRule, tokenPlace, tokenRule, tokenRuleThat } from './redaction/secret-rules.ts';
export {
  matcherRule,
  type SecretRule,
  SecretWords,
  secretValues,
  type Variables,
} from './redaction/secrets.ts';
