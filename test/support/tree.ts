import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';

/** Calls a function when a test ends, or, outside of tests, all tests of a file: `onTestFinished` or `afterAll`. */
export type OnEnd = (end: () => void | Promise<void>) => void;

/**
 * Creates files in a temporary directory, which is removed when the test ends.
 *
 * @param files contents by path relative to the directory
 * @returns the real path of the directory
 */
export function tree(
  files: Readonly<Record<string, string>> = {},
  onEnd: OnEnd = onTestFinished,
): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'vtr-tree-')));
  // A program that is ending, such as tmux's own server, may still make files there.
  onEnd(() => rmSync(root, { recursive: true, force: true, maxRetries: 20 }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}
