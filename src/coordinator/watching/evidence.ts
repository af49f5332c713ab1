import { sanitize } from '#base';

const maxCharacters = 200;

/** Returns text from output as one line for a person or a model, of at most 200 characters. */
export function evidenceOf(text: string): string {
  const line = sanitize(text.replace(/\s+/gu, ' ')).text.trim();
  const characters = [...line];
  if (characters.length <= maxCharacters) return line;
  return `${characters.slice(0, maxCharacters - 1).join('')}…`;
}
