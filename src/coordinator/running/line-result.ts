import { defined } from '#base';
import { type CommandRecord, keepsShell, type ReadBudget, type RunResult } from '#model';
import type { Session } from '#session';
import { type LineEnd, type LineOutput, markNow, outputOnScreen, type UnmarkedLine } from '#watch';
import type { ShownView } from '../redacting/redacted-terminal.ts';

/** The parts of a result that depend on how the line ended. */
export type Ended = Omit<RunResult, 'timeoutMs' | 'elapsedMs'>;

/**
 * What looks like a question is the prompt of the shell if the line cannot ask: it has changed the prompt. It may also be
 * output of a line that still runs.
 */
export function atChangedPrompt(end: LineEnd, line: string): LineEnd {
  if (end.outcome !== 'awaiting_input' || !end.guess || !keepsShell(line)) return end;
  const { question: _, guess: __, ...rest } = end;
  return { ...rest, outcome: 'prompt', isUnsure: true };
}

/** Sets the end of the last typed line. */
export function closed(
  typed: readonly UnmarkedLine[],
  endLine: number,
  endText: string,
): UnmarkedLine[] {
  return typed.map((each, index) =>
    index === typed.length - 1 ? { ...each, endLine, endText } : each,
  );
}

/**
 * Sets the end of the last typed line to that of the command that it ended; null if that is unknown.
 *
 * @param text left of the cursor in the line `endLine`, with the prompt
 */
export function closedAt(
  typed: readonly UnmarkedLine[],
  { to }: CommandRecord,
  text: string,
  endLine: number,
): UnmarkedLine[] | null {
  if (to === null || to.line === null || to.line > endLine) return null;
  if (to.line === endLine) return closed(typed, endLine, text.slice(0, to.col));
  return closed(typed, to.line + (to.col > 0 ? 1 : 0), '');
}

/** The output of a line that has not begun. */
export const nothing: LineOutput = {
  text: { head: '', tail: '', omitted: null, tokens: 0 },
  openEnd: true,
  gap: { lines: 0, bytes: 0 },
};

export const outputFields = ({ text: output, openEnd, gap }: LineOutput) => ({
  output,
  openEnd,
  gap,
});

export function resultOf(
  end: Pick<
    LineEnd,
    'outcome' | 'exitStatus' | 'mark' | 'revision' | 'question' | 'menu' | 'guess'
  >,
  command: CommandRecord | null,
  { text, openEnd, gap }: LineOutput,
): Ended {
  const { exitStatus, mark, revision, question, menu, guess } = end;
  return {
    outcome: end.outcome as RunResult['outcome'],
    command,
    exitCode: command?.exitCode ?? null,
    ...(command?.exitCode == null
      ? {}
      : { statusFrom: command.unverified ? 'unverified_marks' : 'marks' }),
    ...outputFields({ text, openEnd, gap }),
    exitStatus,
    mark,
    revision,
    ...defined({ question, guess: guess || undefined, menu }),
  };
}

/**
 * The result of a command of a shell that marks its commands. A pager writes no lines: what it shows is the output,
 * unless the command has written some before.
 */
export function resultOfCommand(
  end: LineEnd,
  command: CommandRecord,
  written: LineOutput,
  shown: ShownView,
  budget: ReadBudget,
): Ended {
  const hasWritten = written.text.head !== '' || written.text.tail !== '';
  if (hasWritten || command.state !== 'running' || !shown.terminal.alternate)
    return resultOf(end, command, written);
  const endText = shown.screenRows()[shown.terminal.cursor.row] ?? '';
  const onScreen = outputOnScreen(shown, null, endText, budget);
  return { ...resultOf(end, command, onScreen), source: 'screen', incomplete: true };
}

/** The result of a line of which only a part was typed. @param command that it has run; null if none is known */
export function interruptedResult(
  { view, revision }: Session,
  command: CommandRecord | null,
  outputOf: (command: CommandRecord) => LineOutput,
): Ended {
  const { exitStatus } = view;
  const output = command === null ? nothing : outputOf(command);
  const end = { outcome: 'timed_out', exitStatus, mark: markNow(view), revision } as const;
  return { ...resultOf(end, command, output), outcome: 'interrupted' };
}
