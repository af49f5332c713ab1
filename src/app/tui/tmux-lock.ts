import { writeSync } from 'node:fs';

/** The alternate screen without a text, so that nobody sees what was in the terminal; and the way back. */
const emptyScreen = '\x1b[?1049h\x1b[H\x1b[2J';
const ownScreen = '\x1b[?1049l';

/**
 * Runs a line of the shell that locks this terminal, and waits for its end, however it ends: `lock-command` of tmux.
 */
export async function runLock(line: string): Promise<void> {
  const { spawn } = await import('node:child_process');
  writeSync(1, emptyScreen);
  await new Promise<void>((resolve) => {
    const child = spawn('/bin/sh', ['-c', line], { stdio: 'inherit' });
    child.once('error', () => resolve());
    child.once('close', () => resolve());
  });
  writeSync(1, ownScreen);
}
