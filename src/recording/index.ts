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
export { literalRule } from './redaction/literal-rule.ts';
export { mask, Redactor } from './redaction/redactor.ts';
export { SecretWords } from './redaction/secret-words.ts';
export {
  matcherRule,
  type SecretRule,
  secretValues,
  type Variables,
} from './redaction/secrets.ts';
export { tokenPlace, tokenRule, tokenRuleThat } from './redaction/token-rule.ts';
