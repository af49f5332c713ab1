import type { ToolCallRef } from './permissions.ts';

/** Limit of tool calls whose commands have no session. */
const maxCalls = 100;

/** A tool call that runs, or will run, a command. */
export interface CommandCall extends ToolCallRef {
  readonly command: string;
  /** Whether the agent has shown something in it. */
  readonly hasContent: boolean;
  /** Whether the call has ended: its command may be in the background. */
  readonly hasEnded: boolean;
}

/**
 * The commands of tool calls for which no session is known, and the sessions whose tool calls are not known: a command
 * can begin before the message that announces it has been read.
 */
export class ToolCommands {
  /** Oldest first. */
  readonly #calls = new Map<string, CommandCall>();
  /** The commands of sessions that run without a call, by session, oldest first. */
  readonly #running = new Map<string, string>();
  readonly #onPair: (call: CommandCall, session: string) => void;

  /** @param onPair called with a tool call and the session that runs its command */
  constructor(onPair: (call: CommandCall, session: string) => void) {
    this.#onPair = onPair;
  }

  /** Must be called when a session begins to run a command. */
  started(command: string, session: string): void {
    const call = this.#take(command);
    if (call === null) this.#running.set(session, command);
    else this.#onPair(call, session);
  }

  /** Must be called when a session has ended. */
  ended(session: string): void {
    this.#running.delete(session);
  }

  /** Notes the `update` of a `session/update`. */
  see(conversationId: string, update: unknown): void {
    const { toolCallId, rawInput, status, content } = fieldsOf(update);
    if (typeof toolCallId !== 'string') return;
    const key = JSON.stringify([conversationId, toolCallId]);
    const before = this.#calls.get(key);
    const { command = before?.command } = fieldsOf(rawInput);
    if (typeof command !== 'string') return;
    const hasContent = Array.isArray(content) ? content.length > 0 : (before?.hasContent ?? false);
    const hasEnded = status === 'completed' || status === 'failed';
    const call = { conversationId, toolCallId, command, hasContent, hasEnded };
    const [session] = [...this.#running].find(([, each]) => isSame(each, command)) ?? [];
    if (session !== undefined && before === undefined && !hasEnded) {
      this.#running.delete(session);
      this.#onPair(call, session);
      return;
    }
    this.#calls.set(key, call);
    const [oldest] = this.#calls.keys();
    if (this.#calls.size > maxCalls && oldest !== undefined) this.#calls.delete(oldest);
  }

  /** Returns the oldest call of a command, of those that have not ended if there are some, only once. */
  #take(command: string): CommandCall | null {
    const calls = [...this.#calls].filter(([, call]) => isSame(call.command, command));
    const [key, call] = calls.find(([, { hasEnded }]) => !hasEnded) ?? calls.at(-1) ?? [];
    if (key !== undefined) this.#calls.delete(key);
    return call ?? null;
  }
}

const isSame = (a: string, b: string): boolean => a.trim() === b.trim();

const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
