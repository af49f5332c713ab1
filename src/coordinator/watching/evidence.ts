import { sanitize } from '#base';
import { shortened } from '#model';

const maxLength = 200;

/** Returns text from output as one line for a person or a model, of at most 200 characters. */
export function evidenceOf(text: string): string {
  const line = sanitize(text.replace(/\s+/gu, ' ')).text.trim();
  return shortened(line, maxLength);
}
