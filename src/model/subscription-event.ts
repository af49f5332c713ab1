import type { AgentCommand } from './agent-command.ts';
import type { CommandList, CommandRecord } from './command.ts';
import type { AgentEvent, SessionEvent, SnapshotEvent, Stamp } from './events.ts';

/** The commands of a session, as `Coordinator.commands` returns them. */
export interface CommandsEvent extends Stamp {
  readonly type: 'commands';
  readonly list: CommandList;
}

/**
 * A command of the shell begins, with the state `running`, or ends. Each that is told as ended was told as running, also
 * one that ended at once. Numbers are left out of commands that were no longer kept when the subscriber took the event.
 */
export interface CommandEvent extends Stamp {
  readonly type: 'command';
  readonly command: CommandRecord;
}

/** A command of a coding agent begins, or its status changes. */
export interface AgentCommandEvent extends Stamp {
  readonly type: 'agentCommand';
  readonly command: AgentCommand;
}

/**
 * An agent that is there is told at the beginning, and then whenever it changes. The events of commands are those of a
 * subscription to commands, which has no others but the exit.
 */
export type SubscriptionEvent =
  | SnapshotEvent
  | SessionEvent
  | AgentEvent
  | CommandsEvent
  | CommandEvent
  | AgentCommandEvent;
