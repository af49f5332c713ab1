import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../../scripts/root.mjs';

/** A command that a document tells its readers to type. */
export interface TypedCommand {
  /** Such as `docs/web.md:7`. */
  readonly place: string;
  readonly text: string;
  /** Its block shows outputs and statuses (`console`); `vtr test` compares those. */
  readonly isCompared: boolean;
}

/** The commands of the blocks `sh` and `console` of a document, from its top. Those of `sh no-run` are left out. */
export function typedCommands(document: string): TypedCommand[] {
  const text = readFileSync(join(root, document), 'utf8');
  const blocks = text.matchAll(/^```(sh|console)\n(.*?)^```$/gms);
  return [...blocks].flatMap(({ index, 1: language, 2: block = '' }) => {
    const isCompared = language === 'console';
    const lines = isCompared ? linesOfConsole(block) : block.split('\n');
    // Of the fence, 1-based.
    const fence = text.slice(0, index).split('\n').length;
    return commandsIn(lines).map(({ line, ...rest }) => ({
      place: `${document}:${fence + 1 + line}`,
      ...rest,
      isCompared,
    }));
  });
}

/** The lines of a `console` block without those of outputs, which are empty. */
function linesOfConsole(block: string): string[] {
  let isTyped = false;
  return block.split('\n').map((line) => {
    isTyped = line.startsWith('$ ') || (isTyped && line.startsWith('> '));
    return isTyped ? line.slice(2) : '';
  });
}

/** Joins the lines of each command as bash does. `line` is 0-based. */
function commandsIn(lines: readonly string[]): { text: string; line: number }[] {
  const commands: { text: string; line: number }[] = [];
  let text = '';
  for (const [line, typed] of lines.entries()) {
    if (text === '' && /^\s*(?:#|$)/.test(typed)) continue;
    text += `${typed}\n`;
    if (!isComplete(text)) continue;
    commands.push({ text, line: line + 2 - text.split('\n').length });
    text = '';
  }
  if (text !== '') throw new Error(`a command does not end: ${text}`);
  return commands;
}

/** Whether bash reads no more lines for it. */
function isComplete(text: string): boolean {
  if (text.endsWith('\\\n')) return false;
  const { status, stderr } = spawnSync('bash', ['-n'], { input: text, encoding: 'utf8' });
  return status === 0 && stderr === '';
}
