import { type ListRequest, type Redacted, type RedactRequest, VtrError } from '#model';
import { field } from '../field.ts';

export const toInfoFields = ({ activity = false, redact }: ListRequest) => ({
  activity,
  ...field('redact', redact),
});

/** Returns an answer if secrets were replaced as requested. @throws VtrError UNAVAILABLE */
export function redactedAnswer<T extends Redacted>({ redact }: RedactRequest, answer: T): T {
  if (!redact || answer.redacted !== undefined) return answer;
  const message =
    'the daemon is of an earlier version, which does not replace secrets; vtr serve --restart';
  throw new VtrError('UNAVAILABLE', message);
}
