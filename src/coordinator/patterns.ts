import { Pattern } from '#watch';

/**
 * Checks a pattern that is configured long before it is used.
 *
 * @throws VtrError INVALID_PATTERN if it is not an RE2 regular expression
 */
export function checkPattern(source: string): void {
  new Pattern(source);
}
