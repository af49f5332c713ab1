import { Pattern } from '#watch';

/**
 * For a pattern that is given long before it is used.
 *
 * @throws VtrError INVALID_PATTERN where it is no RE2 regular expression
 */
export function checkPattern(source: string): void {
  new Pattern(source);
}
