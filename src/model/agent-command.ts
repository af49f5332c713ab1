import { cutText, sanitize } from '#base';
import { VtrError } from './errors.ts';
import type { OutputPosition } from './events.ts';

/** How a command ended: `unknown` if the agent did not say it. */
export type CommandOutcome = 'succeeded' | 'failed' | 'unknown';

export const commandOutcomes: readonly CommandOutcome[] = ['succeeded', 'failed', 'unknown'];

/** What a program reports of a command that it runs. */
export interface CommandReport {
  /**
   * As it was given to a shell. Control characters other than tabs and line ends, and invisible ones, are removed, and
   * more than 4,096 UTF-16 code units are left out.
   */
  readonly line: string;
  /** The directory in which it runs. Default: unknown. */
  readonly cwd?: string;
  /**
   * Connects the end with the beginning: 1 to 128 printable characters of ASCII, without blanks. Default: the end is
   * that of the oldest command with this line that has not ended.
   */
  readonly call?: string;
  /** How it ended. Absent: it begins. */
  readonly outcome?: CommandOutcome;
  /** Its exit status, 0 to 255, if it has ended and the status is known. */
  readonly exitCode?: number;
  /** How long it ran, in ms. Default: from the report of its beginning to that of its end. */
  readonly durationMs?: number;
}

/**
 * What is known of a command of a coding agent:
 *
 * - `running`: the agent has begun it, and its end was not reported.
 * - `asks`: so, and the agent asks a person meanwhile: mostly, whether it may run it.
 * - `succeeded`, `failed`: as the agent says.
 * - `unknown`: it ended, or the turn of the agent did, and how was not reported. It may not have run at all.
 */
export type AgentCommandStatus = CommandOutcome | 'running' | 'asks';

/** A command that a coding agent ran itself, as it has reported. All texts in it come from a program. */
export interface AgentCommand {
  /** 1 for the first that was reported in the session. */
  readonly number: number;
  /** The kind of the agent; null if a program reported that did not say its kind. */
  readonly agent: string | null;
  readonly line: string;
  /** Null if it was not reported. */
  readonly cwd: string | null;
  readonly status: AgentCommandStatus;
  /** Null while it runs, and if it was not reported. */
  readonly exitCode: number | null;
  /** Milliseconds since 1970-01-01 UTC; null if its beginning was not reported. */
  readonly startedAtMs: number | null;
  /** Milliseconds since 1970-01-01 UTC; null if its end was not reported. */
  readonly endedAtMs: number | null;
  /** In ms, up to now if it runs; null if it is unknown, also where the agent asked meanwhile. */
  readonly durationMs: number | null;
  /** The end of the output when it began; absent if its beginning was not reported. */
  readonly from?: OutputPosition;
}

/** The longest line and directory that are kept, in UTF-16 code units. */
const maxCommandCharacters = 4096;

const callForm = /^[!-~]{1,128}$/;

/**
 * Returns a report of a command with texts that are safe to show.
 *
 * @throws VtrError INVALID_ARGUMENT
 */
export function checkCommandReport(report: CommandReport): CommandReport {
  const { cwd, call, outcome, exitCode, durationMs } = report;
  const line = safeText(report.line).trim();
  if (line === '') throw refused('the command of a report is empty');
  if (call !== undefined && !callForm.test(call))
    throw refused('the call of a report has 1 to 128 printable characters, without blanks');
  if (outcome !== undefined && !commandOutcomes.includes(outcome))
    throw refused(`the outcome of a command is one of ${commandOutcomes.join(', ')}`);
  if (outcome === undefined && (exitCode ?? durationMs) !== undefined)
    throw refused('a command that begins has neither an exit status nor a duration');
  if (exitCode !== undefined && !(Number.isInteger(exitCode) && exitCode >= 0 && exitCode <= 255))
    throw refused('the exit status of a command is a whole number from 0 to 255');
  if (durationMs !== undefined && !(durationMs >= 0 && durationMs <= Number.MAX_SAFE_INTEGER))
    throw refused('the duration of a command is not negative');
  return { ...report, line, ...(cwd === undefined ? {} : { cwd: safeText(cwd) }) };
}

const safeText = (text: string): string => cutText(sanitize(text).text, maxCommandCharacters);

const refused = (message: string): VtrError => new VtrError('INVALID_ARGUMENT', message);
