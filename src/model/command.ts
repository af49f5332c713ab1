import type { AgentCommand } from './agent-command.ts';
import { VtrError } from './errors.ts';
import type { OutputPosition } from './events.ts';
import type {
  Excerpt,
  OutputFormat,
  RawOutput,
  ReadBudget,
  ReadGap,
  Redacted,
  RedactRequest,
} from './read.ts';

/** A command that a shell ran, as reported by shell integration. */
export interface CommandRecord {
  /** 1 for the first command of the session. */
  readonly number: number;
  /** The line as typed; null if the shell does not report it. */
  readonly line: string | null;
  /** The shell's working directory at the start; null if the shell does not report it. */
  readonly cwd: string | null;
  readonly state: 'running' | 'ended';
  /** Null while the command runs, and if the shell does not report it. */
  readonly exitCode: number | null;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly startedAtMs: number;
  /** Milliseconds since 1970-01-01 UTC; null while the command runs. */
  readonly endedAtMs: number | null;
  /**
   * Measured by a monotonic clock, or by the time of day if the machine was restarted meanwhile; up to
   * now if the command runs.
   */
  readonly durationMs: number;
  /** The revision at which the command began. */
  readonly startRevision: number;
  /** The beginning of its output. */
  readonly from: OutputPosition;
  /** The end of its output; null while the command runs. */
  readonly to: OutputPosition | null;
  /**
   * Set if the marks that report the command lack a nonce of vtr's shell integration. Any output
   * can contain such marks, so the line and the exit code may be forged.
   */
  readonly unverified?: true;
}

/**
 * The way in which a shell marks its commands: `integrated` by vtr's shell integration, `self`
 * without it (the marks are unverified), `none` if no marks have been received.
 */
export type ShellIntegration = 'integrated' | 'self' | 'none';

export interface CommandList extends Redacted {
  /** Oldest first. The last one may be running. */
  readonly commands: readonly CommandRecord[];
  /** The number of older commands that are no longer kept. */
  readonly dropped: number;
  readonly integration: ShellIntegration;
  /** Why the integration is `none`, as a clause: `vim is not bash, zsh or fish`. */
  readonly integrationReason?: string;
  /** Those that coding agents ran themselves, as they report, the oldest first. Absent: none were reported. */
  readonly agentCommands?: readonly AgentCommand[];
}

export interface CommandListRequest extends RedactRequest {
  /** The number of newest commands to list, 1..1000, of the shell and of agents each. Default: all that are kept. */
  readonly last?: number;
}

/**
 * A command by its number, or `last`: the newest that ended, or the running one if none has ended.
 */
export type CommandChoice = number | 'last';

export interface CommandOutputRequest extends ReadBudget, RedactRequest {
  /** Default: `last`. */
  readonly command?: CommandChoice;
  /**
   * Default: `text`. `raw` is the bytes that the command wrote; of the budget, only `maxBytes` and a
   * `keep` of `head` or `tail` apply to it.
   */
  readonly format?: OutputFormat;
  /**
   * Leaves out this number of lines at the beginning of the output, those that are no longer kept included. Then only
   * the lines up to the limits are read, so that all of a long output can be read in pieces: `omitted` says whether
   * there are more lines, but not how many. Absent for `raw`.
   */
  readonly skipLines?: number;
}

export interface CommandOutput extends Redacted {
  readonly command: CommandRecord;
  /** Empty for `raw`. */
  readonly text: Excerpt;
  /** Set for `raw` only. */
  readonly raw?: RawOutput;
  /** Whether the output is empty or its last line has no line end. */
  readonly openEnd: boolean;
  /** Output that was dropped before it was read. */
  readonly gap: ReadGap;
  /** That of the request. Absent: the coordinator is of a version that does not know it, and has skipped nothing. */
  readonly skippedLines?: number;
}

/** Returns a command as it was when it began. */
export const commandAtStart = (command: CommandRecord): CommandRecord => ({
  ...command,
  state: 'running',
  exitCode: null,
  endedAtMs: null,
  durationMs: 0,
  to: null,
});

/** What can be said of a subscription; see `SubscribeRequest`. */
interface Subscribed {
  readonly commands?: Pick<CommandListRequest, 'last'>;
  readonly since?: unknown;
  readonly scrollbackLines?: unknown;
  readonly maxWaitingBytes?: unknown;
}

/** Returns the commands to which is subscribed; null if it is to the other events. @throws VtrError INVALID_ARGUMENT */
export function subscribedCommands(request: Subscribed): Pick<CommandListRequest, 'last'> | null {
  const { commands, since, scrollbackLines, maxWaitingBytes } = request;
  if (commands === undefined) return null;
  const others = Object.entries({ since, scrollbackLines, maxWaitingBytes });
  const other = others.find(([, value]) => value !== undefined);
  if (other !== undefined) {
    const message = `commands and ${other[0]} cannot be used together: a list of the commands is first`;
    throw new VtrError('INVALID_ARGUMENT', message);
  }
  if (commands.last !== undefined) checkListedCommands(commands.last);
  return commands;
}

const maxListed = 1000;

/** Returns the number of commands to list. @throws VtrError INVALID_ARGUMENT */
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
  throw new VtrError(
    'INVALID_ARGUMENT',
    `command is ${choice}; give a command number of at least 1, or last`,
  );
}
