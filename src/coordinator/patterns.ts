import { defaultPromptPattern } from '#model';
import { Pattern } from '#watch';

let pattern: Pattern | null = null;

/** Whether text left of the cursor ends as most prompts do. */
export function looksLikePrompt(text: string): boolean {
  pattern ??= new Pattern(defaultPromptPattern);
  return pattern.findTouching(text, 0, text.length) !== null;
}
