import type { Spent } from '../measuring/programs.ts';

/** A client that sends lines to a program and reads its answers. */
export interface Asker {
  /** Sends a word, and resolves once it has the answer. */
  ask(word: string): Promise<Spent>;
  close(): Promise<void>;
}

export const size = { cols: 80, rows: 24 };

/**
 * The program that answers. It starts no other program.
 *
 * @param after a command that it runs after the answer
 */
export const answering = (after = ':'): string =>
  `stty -echo; echo ready; while read -r word; do echo "answer $word"; ${after}; done`;

export const answerTo = (word: string): string => `answer ${word}`;
