/** Work for which a thread needs its processor for some time, by the name that messages have for it. */
const kinds = ['output', 'search', 'save', 'call', 'recording'] as const;
export type WorkKind = (typeof kinds)[number];

/** What a thread works on. */
export interface Work {
  readonly kind: WorkKind;
  /** The name of a session. */
  readonly session: string;
}

/** The size of the memory for {@link showWorkIn}, in bytes: a code, the length of the name, and the name. */
export const workBytes = 66;

/** Where this thread shows its work; null: nowhere. */
let shown: Uint8Array | null = null;
let shownName = '';

/**
 * Shows in some memory, from now on, what this thread works on: another process can read it while this one answers
 * nothing. Each thread works on one thing at a time, so this is one variable, as its stack is.
 *
 * @param memory of {@link workBytes}; null: nowhere any more
 */
export function showWorkIn(memory: Uint8Array | null): void {
  shown = memory;
  shownName = '';
}

/**
 * Must be called when work begins, and when it continues after other work. Takes about 10 ns, or 100 ns if the work
 * before was that of another session.
 */
export function beginWork(kind: WorkKind, session: string): void {
  if (shown === null) return;
  if (session !== shownName) showName(shown, session);
  shown[0] = kinds.indexOf(kind) + 1;
}

/** The work ends, or waits. */
export function endWork(): void {
  if (shown !== null) shown[0] = 0;
}

/** Returns the work that was begun last; null if it has ended, or is shown nowhere. */
export const currentWork = (): Work | null => shown && decodeWork(shown);

function showName(memory: Uint8Array, name: string): void {
  // With length 0, no reader mistakes a part of it for the name.
  memory[0] = 0;
  memory[1] = Math.min(name.length, workBytes - 2);
  for (let at = 0; at < name.length; at++) memory[at + 2] = name.charCodeAt(at);
  shownName = name;
}

/** Returns the work that another process shows; null if it shows none. */
export function decodeWork(memory: Uint8Array): Work | null {
  const [code = 0, length = 0] = memory;
  const kind = kinds[code - 1];
  const session = String.fromCharCode(...memory.subarray(2, 2 + length));
  return kind === undefined || !/^[\w.-]{1,64}$/.test(session) ? null : { kind, session };
}
