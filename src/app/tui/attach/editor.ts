import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { counted, redactingCoordinator, systemReason, VtrError } from '#model';
import type { Done, Scene } from './scene.ts';

/** Lines that one call reads. */
const linesAtOnce = 10_000;

/** Editors that open a file at its line N with `+N`. */
const withLine = /^(vi|vim|nvim|view|nano|emacs|emacsclient|mg|joe|kak|less)$/;

/**
 * Opens the scrollback and the screen of the session as text in the person's editor: `$VISUAL`, `$EDITOR`, or vi. The
 * file is the person's only, and is removed afterwards.
 *
 * @throws VtrError IO_ERROR, INVALID_ARGUMENT if the editor fails
 */
export async function editScrollback(scene: Scene): Promise<Done> {
  const { env } = process;
  // Loaded on demand, as below: attach itself begins sooner without them.
  const { mkdtemp, rm } = await import('node:fs/promises');
  const editor = env['VISUAL'] || env['EDITOR'] || 'vi';
  const directory = await mkdtemp(join(tmpdir(), 'vtr-scrollback-'));
  try {
    const file = join(directory, `${scene.session.name}.txt`);
    const count = await writeLines(scene, file);
    const [word = ''] = editor.split(/\s+/);
    const at = withLine.test(basename(word)) ? [`+${count}`] : [];
    const problem = await scene.lend(() => edited(editor, [...at, file]));
    if (problem !== null) throw new VtrError('INVALID_ARGUMENT', `${editor}: ${problem}`);
    return { said: `${editor} has shown ${counted(count, 'line')}` };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function writeLines({ coordinator, session }: Scene, path: string): Promise<number> {
  // A person sees what is there.
  const plain = redactingCoordinator(coordinator, false);
  const { open } = await import('node:fs/promises');
  const file = await open(path, 'wx', 0o600);
  try {
    let count = 0;
    const { firstLine } = await plain.readLines(session, { to: 0, format: 'text' });
    for (let from = firstLine; ; from += linesAtOnce) {
      const to = from + linesAtOnce;
      const { lines, endLine } = await plain.readLines(session, { from, to, format: 'text' });
      count += lines.length;
      await file.write(lines.map(({ text }) => `${text}\n`).join(''));
      if (to >= endLine) return count;
    }
  } finally {
    await file.close();
  }
}

/** Runs the editor in this terminal. Returns why it failed, null if it did not. */
async function edited(editor: string, words: readonly string[]): Promise<string | null> {
  const { spawn } = await import('node:child_process');
  return new Promise((resolve) => {
    const child = spawn('/bin/sh', ['-c', `${editor} "$@"`, 'sh', ...words], { stdio: 'inherit' });
    child.once('error', (error) => resolve(systemReason(error)));
    child.once('exit', (status, signal) => {
      const how = status === null ? `was ended by ${signal}` : `ended with status ${status}`;
      resolve(status === 0 ? null : how);
    });
  });
}
