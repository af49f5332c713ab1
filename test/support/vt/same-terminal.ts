import type { Terminal } from '#vt';
import { inspect } from '#vt/checks';

const shownChars = 400;

function describe(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > shownChars ? `${text.slice(0, shownChars)}…` : text;
}

/**
 * Throws when two terminals differ, with the differing parts; a whole state is too long to print.
 */
export function expectSameTerminal(actual: Terminal, expected: Terminal): void {
  const other = inspect(expected);
  for (const [part, value] of Object.entries(inspect(actual))) {
    if (JSON.stringify(value) === JSON.stringify(other[part])) continue;
    throw new Error(
      `${part} differs:\n  is     ${describe(value)}\n  should ${describe(other[part])}`,
    );
  }
}
