import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { overwriteInDirectory, removeFile } from '#config';
import { ioErrors, isVtrError, VtrError } from '#model';
import type { Context } from '../context.ts';
import { noExit } from '../exit-codes.ts';
import { printPlain } from '../output/printing.ts';
import type { AgentHooks } from './agent-hooks.ts';

/** A change of a file that has not been written. */
export interface FileChange {
  readonly file: string;
  /** Empty if there is no file. */
  readonly before: string;
  /** Null if the file is removed. */
  readonly after: string | null;
  /** What a person must do after it is written. */
  readonly afterwards?: string;
}

/**
 * Returns what would change to install the hooks of a kind, or to remove them.
 *
 * @throws VtrError INVALID_ARGUMENT for a file that cannot be edited; IO_ERROR
 */
export async function hooksChange(hooks: AgentHooks, isRemoval: boolean): Promise<FileChange> {
  const { file, format, afterwards } = hooks;
  const before = contentOf(file);
  const after = await edited(file, () =>
    isRemoval ? (before === '' ? '' : format.remove(before)) : format.install(before),
  );
  return {
    file,
    before,
    after,
    ...(afterwards === undefined || isRemoval ? {} : { afterwards }),
  };
}

/**
 * Shows a change, and writes it if that is wanted.
 *
 * @param mode whether it is only shown, written, or a person is asked
 * @returns the exit status
 * @throws VtrError IO_ERROR, INVALID_ARGUMENT as `overwriteFile`
 */
export async function offerChange(
  context: Context,
  change: FileChange,
  mode: 'show' | 'write' | 'ask',
): Promise<number | undefined> {
  const { file, before, after, afterwards } = change;
  if (after === before) {
    context.say(`${file}: nothing to change`);
    return undefined;
  }
  printPlain(context, `${file}\n${changedLines(before, after ?? '').join('\n')}\n`);
  if (mode === 'show') return undefined;
  if (mode === 'ask' && !(await isWanted(context, change))) return noExit;
  writeChange(change);
  context.say(after === null ? `removed ${file}` : `wrote ${file}`);
  if (afterwards !== undefined) context.say(afterwards);
  return undefined;
}

/** Asks a person; without a terminal, nobody is asked. */
async function isWanted({ say, isTerminal }: Context, { after }: FileChange): Promise<boolean> {
  if (!isTerminal || !process.stdin.isTTY) {
    say('nothing was written; --yes writes it');
    return false;
  }
  const input = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await input.question(after === null ? 'Remove it? [y/N] ' : 'Write it? [y/N] ');
    return /^y(?:es)?$/i.test(answer.trim());
  } finally {
    input.close();
  }
}

function writeChange({ file, after }: FileChange): void {
  if (after === null) removeFile(file);
  else overwriteInDirectory(file, after);
}

/** - `outdated`: installed by another version of vtr, or another installation. `untrusted`: the agent does not run them yet. */
export type HooksState = 'installed' | 'outdated' | 'untrusted' | 'absent' | 'unreadable';

/** Returns whether the hooks of a kind are installed. Never fails. */
export function hooksState({ kind, file, format }: AgentHooks): HooksState {
  try {
    const text = contentOf(file);
    if (text === '' || format.remove(text) === text) return 'absent';
    if (format.install(text) !== text) return 'outdated';
    return kind === 'codex' && !isTrusted(file) ? 'untrusted' : 'installed';
  } catch {
    return 'unreadable';
  }
}

/** Codex keeps in its configuration which hooks of a file a person has trusted: `[hooks.state."FILE:stop:0:0"]`. */
function isTrusted(file: string): boolean {
  const config = contentOf(join(dirname(file), 'config.toml'));
  const turn = ['session_start', 'user_prompt_submit', 'permission_request', 'stop'];
  const events = [...turn, 'pre_tool_use', 'post_tool_use'];
  return events.every((event) => config.includes(`[hooks.state."${file}:${event}:`));
}

/** Empty if there is no such file. @throws VtrError IO_ERROR */
export function contentOf(file: string): string {
  return ioErrors(file, 'read', () => {
    try {
      return readFileSync(file, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
      throw error;
    }
  });
}

/** Names the file in an error of an edit. */
export async function edited<T>(file: string, edit: () => T | Promise<T>): Promise<T> {
  try {
    return await edit();
  } catch (error) {
    if (!isVtrError(error)) throw error;
    throw new VtrError(error.code, `${file}: ${error.message}; it is not changed`);
  }
}

/** Unchanged lines around a change that are shown. */
const context = 2;
/** Longer files are compared without their equal lines at both ends only. */
const maxLines = 3_000;

/** Returns the lines that differ, with `-` and `+` before them, and those around them. */
export function changedLines(before: string, after: string): string[] {
  const [old, now] = [linesOf(before), linesOf(after)];
  const all = compared(old, now);
  const isNear = all.map((_, at) =>
    all.slice(Math.max(0, at - context), at + context + 1).some((line) => !line.startsWith(' ')),
  );
  return all.flatMap((line, at) => {
    if (isNear[at]) return [line];
    return at > 0 && isNear[at - 1] ? ['  …'] : [];
  });
}

const linesOf = (text: string): string[] =>
  text === '' ? [] : text.replace(/\n$/, '').split('\n');

/** All lines of both, by their longest common subsequence. */
function compared(old: readonly string[], now: readonly string[]): string[] {
  if (old.length * now.length > maxLines * maxLines)
    return [...old.map((line) => `- ${line}`), ...now.map((line) => `+ ${line}`)];
  const width = now.length + 1;
  const common = new Uint16Array((old.length + 1) * width);
  for (let a = old.length - 1; a >= 0; a--) {
    for (let b = now.length - 1; b >= 0; b--) {
      const at = a * width + b;
      const isSame = old[a] === now[b];
      const right = common[at + 1] ?? 0;
      const below = common[at + width] ?? 0;
      common[at] = isSame ? (common[at + width + 1] ?? 0) + 1 : Math.max(right, below);
    }
  }
  const lines: string[] = [];
  let [a, b] = [0, 0];
  while (a < old.length || b < now.length) {
    const at = a * width + b;
    if (a < old.length && b < now.length && old[a] === now[b]) {
      lines.push(`  ${old[a]}`);
      a++;
      b++;
    } else if (
      b >= now.length ||
      (a < old.length && (common[at + width] ?? 0) >= (common[at + 1] ?? 0))
    )
      lines.push(`- ${old[a++]}`);
    else lines.push(`+ ${now[b++]}`);
  }
  return lines;
}
