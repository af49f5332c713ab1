import { spawn } from 'node:child_process';

/**
 * How many bytes of a line a terminal keeps that reads by lines (canonical mode); what goes beyond is
 * dropped without a word. Linux: N_TTY_BUF_SIZE less one, termios(3). macOS: MAX_CANON.
 */
export const maxLineBytes = process.platform === 'darwin' ? 1024 : 4095;

/** stty asks the system one question. */
const patienceMs = 1000;

/** LF, CR, which most terminals take for it, and ctrl+d. */
const lineEnds = new Set([0x0a, 0x0d, 0x04]);

/** Whether a line in it would be cut by a terminal that reads by lines. */
export function hasLongLine(bytes: Uint8Array): boolean {
  if (bytes.length <= maxLineBytes) return false;
  let begin = 0;
  for (let at = 0; at < bytes.length; at++) {
    if (lineEnds.has(bytes[at] ?? 0)) begin = at + 1;
    if (at - begin >= maxLineBytes) return true;
  }
  return false;
}

/**
 * Whether a terminal reads by lines now. Node has no tcgetattr, so stty is asked: milliseconds, and a
 * process that sees the masters of all sessions and does nothing with them, as ps on macOS.
 *
 * @param slave a descriptor of the terminal
 * @returns false also where nobody can tell
 */
export function readsByLines(slave: number): Promise<boolean> {
  return new Promise((resolve) => {
    const stty = spawn('stty', ['-a'], { stdio: [slave, 'pipe', 'ignore'], timeout: patienceMs });
    let modes = '';
    stty.stdout?.setEncoding('latin1').on('data', (text: string) => {
      modes += text;
    });
    stty.once('error', () => resolve(false));
    stty.once('close', () => resolve(/(?:^|\s)icanon\b/.test(modes)));
  });
}
