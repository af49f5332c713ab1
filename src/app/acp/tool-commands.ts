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

/** The commands of tool calls for which no session is known. */
export class ToolCommands {
  /** Oldest first. */
  readonly #calls = new Map<string, CommandCall>();

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
    this.#calls.set(key, { conversationId, toolCallId, command, hasContent, hasEnded });
    const [oldest] = this.#calls.keys();
    if (this.#calls.size > maxCalls && oldest !== undefined) this.#calls.delete(oldest);
  }

  /** Returns the oldest call of a command, of those that have not ended if there are some, only once. */
  take(command: string): CommandCall | null {
    const calls = [...this.#calls].filter(([, call]) => call.command.trim() === command.trim());
    const [key, call] = calls.find(([, { hasEnded }]) => !hasEnded) ?? calls.at(-1) ?? [];
    if (key !== undefined) this.#calls.delete(key);
    return call ?? null;
  }
}

const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
