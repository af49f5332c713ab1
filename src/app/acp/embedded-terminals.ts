import { setTimeout } from 'node:timers/promises';
import { ignored } from '#base';
import type { Coordinator } from '#model';
import { textMember } from './editor-messages.ts';
import { notificationFrame } from './frames.ts';
import { append, arrayIn, type Edit, edited, elements, raw, type Span } from './json-spans.ts';
import { LinkedSession } from './linked-session.ts';
import { LiveText, type TerminalSource } from './live-text.ts';
import type { CommandCall } from './tool-commands.ts';

/** Limits of tool calls whose terminals still change, and of terminals whose last text is kept. */
const maxToolCalls = 500;
const maxTexts = 1_000;

/** Limit of the time that a frame waits for a terminal's text, in ms. */
const refreshMs = 2_000;

/** A part of a tool call's content: as the agent wrote it, or one of our terminals. */
type Part = string | LiveText;

interface ToolCall {
  readonly conversationId: string;
  readonly id: string;
  readonly parts: readonly Part[];
}

export interface EmbeddedTerminalsOptions {
  readonly coordinator: Coordinator;
  /** Writes a frame to the editor. */
  readonly write: (frame: Uint8Array | string) => Promise<void>;
}

/**
 * Text in place of our terminals, for an editor that cannot show them. The text is updated until the
 * program has ended.
 */
export class EmbeddedTerminals {
  readonly #coordinator: Coordinator;
  readonly #write: EmbeddedTerminalsOptions['write'];
  /** By conversation and the agent's terminal id, oldest first. */
  readonly #texts = new Map<string, LiveText>();
  readonly #toolCalls = new Map<string, ToolCall>();
  /** The session that runs the command of a tool call, by conversation and tool call. */
  readonly #links = new Map<string, LinkedSession>();

  constructor({ coordinator, write }: EmbeddedTerminalsOptions) {
    this.#coordinator = coordinator;
    this.#write = write;
  }

  /** Whether changes of a tool call's content matter. */
  get isFollowing(): boolean {
    return this.#toolCalls.size > 0 || this.#links.size > 0;
  }

  /** Adds a terminal; others are not replaced. @param id the agent's */
  add(conversationId: string, id: string, source: TerminalSource = { name: id }): void {
    this.#texts.set(keyOf(conversationId, id), new LiveText(source, this.#coordinator));
    dropOldest(this.#texts, maxTexts)?.dispose();
  }

  /** Names the session that runs the command of a tool call, below what the agent shows, until the call has ended. */
  link({ conversationId, toolCallId, hasContent, hasEnded }: CommandCall, session: string): void {
    if (hasEnded) return;
    const key = keyOf(conversationId, toolCallId);
    const link = new LinkedSession(session, hasContent ? null : [], this.#coordinator);
    this.#links.set(key, link);
    dropOldest(this.#links, maxToolCalls)?.dispose();
    const show = () => {
      if (link.shown === null || this.#links.get(key) !== link) return;
      const parts = [...link.shown, textBlock(link.text)];
      void this.#write(updateOf({ conversationId, id: toolCallId, parts }));
    };
    show();
    void ignored(link.follow(show), 'the session or the coordinator is gone');
  }

  /**
   * Passes a frame on, with text in place of our terminals.
   *
   * @param toolCall the tool call, or the update of one
   * @throws NotJson
   */
  async pass(frame: Uint8Array, conversationId: string, toolCall: Span): Promise<void> {
    const id = textMember(frame, toolCall, 'toolCallId');
    const content = arrayIn(frame, toolCall, 'content');
    const status = textMember(frame, toolCall, 'status');
    if (id !== null && (status === 'completed' || status === 'failed'))
      await this.#unlink(conversationId, id, content !== null);
    if (id === null || content === null) return this.#write(frame);
    const link = this.#links.get(keyOf(conversationId, id));
    if (link !== undefined) {
      link.shown = [...elements(frame, content.start)].map((block) => raw(frame, block));
      return this.#write(edited(frame, [append(frame, content, textBlock(link.text))]));
    }
    const blocks = [...elements(frame, content.start)];
    const parts = blocks.map((block) => this.#part(frame, conversationId, block));
    const texts = parts.filter((part) => typeof part !== 'string');
    await withinTime(Promise.all(texts.map((text) => text.refresh())));
    // Synchronous from here to the write, so that no update of a terminal precedes this frame or
    // repeats an older text after it.
    this.#track({ conversationId, id, parts });
    const edits = blocks.flatMap((block, index) => editOf(block, parts[index]));
    const written = this.#write(edits.length === 0 ? frame : edited(frame, edits));
    for (const text of texts) text.follow(() => this.#update(text));
    await written;
  }

  /**
   * Sends the terminal's last text when its program has ended, before messages that follow the end.
   */
  async settle(conversationId: string, id: string): Promise<void> {
    const text = this.#texts.get(keyOf(conversationId, id));
    if (text === undefined || !this.#isShown(text)) return;
    const before = text.text;
    await withinTime(text.refresh());
    if (text.text !== before) void this.#update(text);
  }

  dispose(): void {
    for (const text of this.#texts.values()) text.dispose();
    for (const link of this.#links.values()) link.dispose();
    this.#toolCalls.clear();
  }

  /**
   * Names the session of a tool call that has ended no more.
   *
   * @param isReplaced whether the agent shows something else now
   */
  async #unlink(conversationId: string, id: string, isReplaced: boolean): Promise<void> {
    const key = keyOf(conversationId, id);
    const link = this.#links.get(key);
    if (link === undefined) return;
    this.#links.delete(key);
    link.dispose();
    if (isReplaced || link.shown === null) return;
    await this.#write(updateOf({ conversationId, id, parts: link.shown }));
  }

  #isShown(text: LiveText): boolean {
    return [...this.#toolCalls.values()].some(({ parts }) => parts.includes(text));
  }

  #part(frame: Uint8Array, conversationId: string, block: Span): Part {
    const isTerminal = textMember(frame, block, 'type') === 'terminal';
    const id = isTerminal ? textMember(frame, block, 'terminalId') : null;
    const text = id === null ? undefined : this.#texts.get(keyOf(conversationId, id));
    return text ?? raw(frame, block);
  }

  #track(toolCall: ToolCall): void {
    const key = keyOf(toolCall.conversationId, toolCall.id);
    this.#toolCalls.delete(key);
    if (!toolCall.parts.some(changes)) return;
    this.#toolCalls.set(key, toolCall);
    dropOldest(this.#toolCalls, maxToolCalls);
  }

  async #update(text: LiveText): Promise<void> {
    for (const [key, toolCall] of this.#toolCalls) {
      if (!toolCall.parts.includes(text)) continue;
      const written = this.#write(updateOf(toolCall));
      if (!toolCall.parts.some(changes)) this.#toolCalls.delete(key);
      await written;
    }
  }
}

/** Text for the editor must not delay the agent for long. */
const withinTime = (refreshed: Promise<unknown>): Promise<unknown> =>
  Promise.race([refreshed, setTimeout(refreshMs, null, { ref: false })]);

/** Agents may reuse ids in another conversation. */
const keyOf = (conversationId: string, id: string): string => JSON.stringify([conversationId, id]);

const changes = (part: Part): boolean => typeof part !== 'string' && !part.isFinal;

const textBlock = (text: string): string =>
  JSON.stringify({ type: 'content', content: { type: 'text', text } });

const blockOf = ({ text }: LiveText): string => textBlock(text);

const editOf = (block: Span, part: Part | undefined): Edit[] =>
  part === undefined || typeof part === 'string' ? [] : [{ ...block, text: blockOf(part) }];

function updateOf({ conversationId, id, parts }: ToolCall): string {
  const content = parts.map((part) => (typeof part === 'string' ? part : blockOf(part))).join(',');
  const update = `{"sessionUpdate":"tool_call_update","toolCallId":${JSON.stringify(id)},"content":[${content}]}`;
  const params = `{"sessionId":${JSON.stringify(conversationId)},"update":${update}}`;
  return notificationFrame('session/update', params);
}

/** @returns the value dropped */
function dropOldest<Value>(entries: Map<string, Value>, max: number): Value | undefined {
  if (entries.size <= max) return undefined;
  const [oldest] = entries;
  if (oldest === undefined) return undefined;
  entries.delete(oldest[0]);
  return oldest[1];
}
