import type { ChildProcess } from 'node:child_process';

/** Programs that set the system's clipboard, and the condition under which each does. */
const programs: readonly {
  readonly words: readonly [string, ...string[]];
  readonly works: (env: NodeJS.ProcessEnv) => boolean;
}[] = [
  { words: ['pbcopy'], works: () => process.platform === 'darwin' },
  { words: ['wl-copy'], works: ({ WAYLAND_DISPLAY }) => Boolean(WAYLAND_DISPLAY) },
  { words: ['xclip', '-selection', 'clipboard'], works: ({ DISPLAY }) => Boolean(DISPLAY) },
  { words: ['xsel', '-ib'], works: ({ DISPLAY }) => Boolean(DISPLAY) },
];

/**
 * Puts text into the clipboard: by the terminal (OSC 52), which does not tell whether it does, and by a
 * program of the system unless this is another machine than the terminal's.
 */
export async function copyText(text: string, setClipboard: (text: string) => void): Promise<void> {
  setClipboard(text);
  const { env } = process;
  if (env['SSH_CONNECTION'] || env['SSH_TTY']) return;
  const { spawn } = await import('node:child_process');
  for (const { words, works } of programs) {
    if (!works(env)) continue;
    const [program, ...args] = words;
    const child = spawn(program, args, { stdio: ['pipe', 'ignore', 'ignore'] });
    if (await hasTaken(child, text)) return;
  }
}

function hasTaken(child: ChildProcess, text: string): Promise<boolean> {
  return new Promise((resolve) => {
    child.once('error', () => resolve(false));
    child.once('close', (status) => resolve(status === 0));
    child.stdin?.on('error', () => {});
    child.stdin?.end(text);
  });
}
