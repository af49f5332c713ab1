import { asVtrError } from '#model';

/** Returns the message of an error. That of a pattern begins with the problem: a row may be short. */
export function problemText(error: unknown): string {
  const { code, message } = asVtrError(error);
  if (code !== 'INVALID_PATTERN') return message;
  const reason = message
    .replace(/^.*(?:regular expression|parsing regexp): /s, '')
    .replace(/: `.*`$/s, '');
  return `not a pattern: ${reason}`;
}
