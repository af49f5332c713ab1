import type { ChildProcess } from 'node:child_process';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { systemReason, VtrError } from '#model';
import type { TtyEvent } from '#tty';
import type { Keys } from '../keys.ts';
import type { CopyTarget } from '../view/scroll.ts';

interface PasteBuffer {
  /** Null before anything is copied. */
  text: string | null;
}

/** What was copied last in this process, from any session. */
export const pasteBuffer: PasteBuffer = { text: null };

/** Characters of one part of a long paste: 1 MiB in UTF-8, at most. */
const partLength = 256 * 1024;

/** Returns the events of a terminal in which a text is pasted. */
export function pastesOf(text: string): TtyEvent[] {
  const events: TtyEvent[] = [];
  for (let from = 0; from < text.length; ) {
    let to = from + partLength;
    // A pair of surrogates is one character.
    if (/[\ud800-\udbff]/.test(text.charAt(to - 1))) to++;
    const part = events.length;
    events.push({ type: 'paste', text: text.slice(from, to), ...(part > 0 && { part }) });
    from = to;
  }
  return events;
}

export interface CopyPlaces {
  readonly buffer: PasteBuffer;
  /** A line of the shell that gets what is copied; null: the clipboards of the terminal and of the system. */
  readonly copyCommand: string | null;
  /** Asks the terminal to put text into its clipboard (OSC 52). Returns whether it could be asked. */
  readonly setClipboard: (text: string) => boolean;
  readonly keys: Keys;
}

/**
 * Copies a text. Returns what to tell the person: "copied" is only said of what has the text.
 *
 * @param size of the text, in words
 * @throws VtrError INVALID_ARGUMENT if a file cannot be written, or a command fails that the person has typed
 */
export async function copyText(
  text: string,
  size: string,
  to: CopyTarget,
  places: CopyPlaces,
): Promise<string> {
  const { buffer } = places;
  buffer.text = to.type === 'append' ? `${buffer.text ?? ''}${text}` : text;
  switch (to.type) {
    case 'pipe': {
      const problem = await fed(['/bin/sh', '-c', to.command], text);
      if (problem !== null) throw new VtrError('INVALID_ARGUMENT', `${to.command}: ${problem}`);
      return `sent ${size} to ${to.command}`;
    }
    case 'file':
      return writtenTo(to.path, text, size);
    case 'append':
      return toClipboard(buffer.text, `appended ${size}`, places);
    case 'clipboard':
      return toClipboard(text, `copied ${size}`, places);
  }
}

/** A file that exists is kept: a name that is typed in a hurry must not replace one. */
async function writtenTo(typed: string, text: string, size: string): Promise<string> {
  const path = resolve(typed.replace(/^~(?=\/|$)/, homedir()));
  const { writeFile } = await import('node:fs/promises');
  try {
    await writeFile(path, `${text}\n`, { flag: 'wx' });
  } catch (error) {
    const reason =
      (error as NodeJS.ErrnoException).code === 'EEXIST'
        ? 'the file exists already'
        : systemReason(error);
    throw new VtrError('INVALID_ARGUMENT', `not written: ${path}: ${reason}`);
  }
  return `wrote ${size} to ${path}`;
}

async function toClipboard(text: string, done: string, places: CopyPlaces): Promise<string> {
  const { copyCommand, setClipboard, keys } = places;
  const paste = keys.label('attach', 'paste');
  const only = paste === '' ? `${done} in vtr only` : `${done} for ${paste} only`;
  if (copyCommand !== null) {
    const problem = await fed(['/bin/sh', '-c', copyCommand], text);
    return problem === null ? done : `${only}: ${copyCommand}: ${problem}`;
  }
  const isAsked = setClipboard(text);
  if (await systemHasTaken(text)) return done;
  // The terminal does not tell whether it took it.
  return isAsked ? `${done}; sent to the terminal's clipboard` : `${only}: no clipboard here`;
}

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

/** Puts text into the clipboard of this system, unless this is another machine than the terminal's. */
async function systemHasTaken(text: string): Promise<boolean> {
  const { env } = process;
  if (env['SSH_CONNECTION'] || env['SSH_TTY']) return false;
  for (const { words, works } of programs) {
    if (works(env) && (await fed(words, text)) === null) return true;
  }
  return false;
}

/** How long the message of a program that has failed may take, in ms. */
const lastWordsMs = 200;
/** Bytes of an error message that are kept. */
const maxMessage = 500;

/** Gives a program a text. Returns why it did not take it, null if it did. */
async function fed(
  [program, ...args]: readonly [string, ...string[]],
  text: string,
): Promise<string | null> {
  const { spawn } = await import('node:child_process');
  return ended(spawn(program, args, { stdio: ['pipe', 'ignore', 'pipe'] }), text);
}

/** @param child its end is its own: one that it leaves in the background may keep its stderr open */
function ended(child: ChildProcess, text: string): Promise<string | null> {
  return new Promise((resolve) => {
    let said = '';
    child.stderr?.on('data', (bytes: Buffer) => {
      if (said.length < maxMessage) said += bytes.toString();
    });
    const end = (status: number | null, signal: NodeJS.Signals | null) => {
      child.stderr?.destroy();
      const [line = ''] = said.trim().slice(0, maxMessage).split('\n');
      const how = status === null ? `was ended by ${signal}` : `ended with status ${status}`;
      resolve(status === 0 ? null : line === '' ? how : line);
    };
    child.once('error', (error) => resolve(systemReason(error)));
    child.once('exit', (status, signal) => {
      if (status === 0) end(status, signal);
      // What it said may still be on its way.
      else setTimeout(() => end(status, signal), lastWordsMs);
    });
    child.once('close', end);
    // Its status tells more than a broken pipe.
    child.stdin?.on('error', () => {});
    child.stdin?.end(text);
  });
}
