import type { Terminal } from '#vt';

const shownChars = 400;

function describe(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > shownChars ? `${text.slice(0, shownChars)}…` : text;
}

/**
 * Throws where two terminals differ, and says in what: a whole state is too much to be shown.
 */
export function expectSameTerminal(actual: Terminal, expected: Terminal): void {
  const other = expected.inspect();
  for (const [part, value] of Object.entries(actual.inspect())) {
    if (JSON.stringify(value) === JSON.stringify(other[part])) continue;
    throw new Error(
      `${part} differs:\n  is     ${describe(value)}\n  should ${describe(other[part])}`,
    );
  }
}
