import type { Spent } from '../measuring/programs.ts';

/** Somebody who sends lines to a program and wants its answers. */
export interface Asker {
  /** Sends a word, and resolves when the answer to it is at hand. */
  ask(word: string): Promise<Spent>;
  close(): Promise<void>;
}

export const size = { cols: 80, rows: 24 };

/**
 * The program that is asked. It answers without starting anything.
 *
 * @param after what it does when it has answered
 */
export const answering = (after = ':'): string =>
  `stty -echo; echo ready; while read -r word; do echo "answer $word"; ${after}; done`;

export const answerTo = (word: string): string => `answer ${word}`;
