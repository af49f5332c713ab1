import { defaultPromptPattern } from '#model';
import { Pattern } from '#watch';

/**
 * Checks a pattern that is configured long before it is used.
 *
 * @throws VtrError INVALID_PATTERN if it is not an RE2 regular expression
 */
export function checkPattern(source: string): void {
  new Pattern(source);
}

let prompt: Pattern | null = null;

/** Returns whether text left of the cursor ends as most prompts do. */
export function looksLikePrompt(text: string): boolean {
  prompt ??= new Pattern(defaultPromptPattern);
  return prompt.findTouching(text, 0, text.length) !== null;
}
