import { VtrError } from './errors.ts';
import type { OutputPosition } from './events.ts';
import type { Excerpt, ReadBudget, ReadGap } from './read.ts';

/** A line that a shell ran, as its integration tells it. */
export interface CommandRecord {
  /** 1 for the first of the session. */
  readonly number: number;
  /** As it was typed; null where the shell does not say. */
  readonly line: string | null;
  /** Where the shell was when it began; null where it does not say. */
  readonly cwd: string | null;
  readonly state: 'running' | 'ended';
  /** Null while it runs, and where the shell does not say how it ended. */
  readonly exitCode: number | null;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly startedAtMs: number;
  /** Null while it runs. */
  readonly endedAtMs: number | null;
  /** By a clock that does not jump; of one that runs, so far. */
  readonly durationMs: number;
  /** The revision in which it began. */
  readonly startRevision: number;
  /** Where its output begins, and where it ends: null while it runs. */
  readonly from: OutputPosition;
  readonly to: OutputPosition | null;
}

/**
 * What is known of the shell in a session: `integrated`, ours speaks; `self`, it marks its commands
 * by itself; `none`, nothing has been heard.
 */
export type ShellIntegration = 'integrated' | 'self' | 'none';

export interface CommandList {
  /** Oldest first; the last one may still run. */
  readonly commands: readonly CommandRecord[];
  /** How many older ones were dropped. */
  readonly dropped: number;
  readonly integration: ShellIntegration;
}

export interface CommandListRequest {
  /** The newest so many, 1..1000; all that are kept when absent. */
  readonly last?: number;
}

/** A command by its number, or the newest one: of those that ended, if there is one. */
export type CommandChoice = number | 'last';

export interface CommandOutputRequest extends ReadBudget {
  /** `last` when absent. */
  readonly command?: CommandChoice;
  /** `text` when absent. */
  readonly format?: 'text' | 'ansi';
}

export interface CommandOutput {
  readonly command: CommandRecord;
  readonly text: Excerpt;
  /** Whether no line end belongs to the end of `text`: its last line lacks it, or there is none. */
  readonly openEnd: boolean;
  /** Output that was dropped before it was read. */
  readonly gap: ReadGap;
}

const maxListed = 1000;

/** @throws VtrError INVALID_ARGUMENT */
export function checkListedCommands(last: number): number {
  if (last === Number.POSITIVE_INFINITY) return maxListed;
  if (Number.isInteger(last) && last >= 1 && last <= maxListed) return last;
  throw new VtrError(
    'INVALID_ARGUMENT',
    `last is ${last}; give a number of commands from 1 to ${maxListed}`,
  );
}

/** @throws VtrError INVALID_ARGUMENT */
export function checkCommandChoice(choice: CommandChoice): CommandChoice {
  if (choice === 'last' || (Number.isSafeInteger(choice) && choice >= 1)) return choice;
  throw new VtrError('INVALID_ARGUMENT', `command is ${choice}; give a number from 1 on, or last`);
}
