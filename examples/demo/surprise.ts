/** The demo saw something else than what it ought to see. */
export class Surprise extends Error {
  readonly expected: string;
  readonly instead: string;

  constructor(expected: string, instead: string) {
    super(`expected ${expected}; instead ${instead}`);
    this.expected = expected;
    this.instead = instead;
  }
}

/** @throws Surprise when the two differ */
export function expectEqual(what: string, found: unknown, expected: unknown): void {
  const [have, want] = [found, expected].map((value) => JSON.stringify(value));
  if (have !== want) throw new Surprise(`${what} to be ${want}`, `it is ${have}`);
}
