import type { DisplayedTerminals } from './displayed-terminals.ts';
import {
  capabilitiesIn,
  type EditorCapabilities,
  type StdioServer,
  textMember,
  withServer,
  withTerminals,
} from './editor-messages.ts';
import type { EmbeddedTerminals } from './embedded-terminals.ts';
import type { FrameWriter, Message } from './frames.ts';
import { objectIn, parse, type Span } from './json-spans.ts';
import type { Permissions } from './permissions.ts';
import type { TerminalRequests } from './terminal-requests.ts';
import type { ToolCommands } from './tool-commands.ts';

/** Methods that begin a conversation and accept MCP servers for it. */
const beginnings = new Set(['session/new', 'session/load', 'session/resume', 'session/fork']);
const ends = new Set(['session/close', 'session/delete']);

export interface FromEditorOptions {
  /** Whether an editor that has terminals keeps them. */
  readonly passthrough: boolean;
  /** Given to the agent for each conversation. */
  readonly server: StdioServer | null;
  readonly conversations: Conversations;
  readonly permissions: Permissions;
  readonly displayed: DisplayedTerminals;
  /** Called when a conversation ends. */
  readonly onEnded: (conversationId: string) => void;
}

/** Translates the editor's messages for the agent. */
export class FromEditor {
  readonly #options: FromEditorOptions;
  #editor: EditorCapabilities = { terminals: false, displays: false };

  constructor(options: FromEditorOptions) {
    this.#options = options;
  }

  /** Whether the editor handles terminals itself. */
  get leavesTerminals(): boolean {
    return this.#options.passthrough && this.#editor.terminals;
  }

  /** Whether the editor shows terminals that agents run themselves. */
  get showsDisplays(): boolean {
    return this.#editor.displays || this.leavesTerminals;
  }

  /** @throws NotJson; the caller then passes the frame on unchanged */
  translate(frame: Uint8Array, message: Message): Uint8Array {
    const { method } = message;
    if (method === 'initialize') return this.#initialize(frame, message);
    if (method !== null && beginnings.has(method)) return this.#begin(frame, message);
    if (method !== null && ends.has(method)) this.#end(frame, message);
    if (method === null) this.#onAnswer(frame, message);
    return frame;
  }

  /** Notes what the person has decided about a command. */
  #onAnswer(frame: Uint8Array, message: Message): void {
    const { permissions, displayed } = this.#options;
    const decision = permissions.take(frame, message);
    if (decision !== null) displayed.decide(decision, decision.isAllowed);
  }

  #initialize(frame: Uint8Array, message: Message): Uint8Array {
    this.#editor = capabilitiesIn(frame, message);
    return this.leavesTerminals ? frame : withTerminals(frame, message);
  }

  #begin(frame: Uint8Array, message: Message): Uint8Array {
    const { conversations, server } = this.#options;
    const { id, params } = message;
    const cwd = params === null ? null : textMember(frame, params, 'cwd');
    const conversationId = params === null ? null : textMember(frame, params, 'sessionId');
    if (cwd !== null) {
      // `session/load` has the conversation's id; that of a new one is in the answer.
      if (conversationId !== null) conversations.set(conversationId, cwd);
      if (id !== null) conversations.expect(id, cwd);
    }
    return server === null ? frame : withServer(frame, message, server);
  }

  #end(frame: Uint8Array, { params }: Message): void {
    const conversationId = params === null ? null : textMember(frame, params, 'sessionId');
    if (conversationId !== null) this.#options.onEnded(conversationId);
  }
}

export interface FromAgentOptions {
  readonly editor: FrameWriter;
  readonly requests: TerminalRequests;
  readonly embedded: EmbeddedTerminals;
  readonly displayed: DisplayedTerminals;
  /** Null if the agent's own commands do not run in sessions. */
  readonly commands: ToolCommands | null;
  readonly conversations: Conversations;
  readonly permissions: Permissions;
  /** Whether the editor handles terminals itself. */
  readonly leavesTerminals: () => boolean;
}

/** Answers the agent's terminal requests and passes its other messages on to the editor. */
export class FromAgent {
  readonly #options: FromAgentOptions;

  constructor(options: FromAgentOptions) {
    this.#options = options;
  }

  /** Resolves when the next frame may be read. @throws NotJson; the caller then passes the frame on unchanged */
  async take(frame: Uint8Array, message: Message): Promise<void> {
    const { editor, requests, leavesTerminals } = this.#options;
    const { method } = message;
    const isOurs = !leavesTerminals();
    if (method === null) this.#onAnswer(frame, message);
    else if (isOurs && method.startsWith('terminal/')) return requests.take(frame, message);
    else if (isOurs && method === '$/cancel_request' && requests.cancel(frame, message)) return;
    else if (method === 'session/update') return this.#update(frame, message, isOurs);
    else if (method === 'session/request_permission') {
      return this.#permission(frame, message, isOurs);
    }
    await editor.write(frame);
  }

  /** Takes a conversation's id from the answer to its first request. @throws NotJson */
  #onAnswer(frame: Uint8Array, { id, result }: Message): void {
    const { conversations } = this.#options;
    if (id === null || !conversations.isExpected(id)) return;
    conversations.answered(id, result === null ? null : textMember(frame, result, 'sessionId'));
  }

  async #update(frame: Uint8Array, message: Message, isOurs: boolean): Promise<void> {
    const { editor, displayed, commands, embedded } = this.#options;
    const isOfTerminals = mentionsTerminals(frame);
    const { conversationId, part } = partOf(frame, message, 'update');
    const isSeen = isOfTerminals || displayed.areAny || commands !== null;
    const update = isSeen && part !== null ? parse(frame, part) : null;
    if (isSeen) {
      const ended = displayed.see(conversationId, update);
      // The editor gets their last text before this message.
      for (const id of ended) await embedded.settle(conversationId, id);
    }
    if (isOurs && (isOfTerminals || embedded.isFollowing)) {
      await this.#toolCall(frame, message, 'update');
    } else await editor.write(frame);
    // The editor knows the tool call before it is told of the session.
    commands?.see(conversationId, update);
  }

  async #permission(frame: Uint8Array, message: Message, isOurs: boolean): Promise<void> {
    const { editor, displayed, permissions } = this.#options;
    const toolCall = permissions.ask(frame, message);
    if (toolCall !== null) displayed.ask(toolCall);
    await (isOurs ? this.#toolCall(frame, message, 'toolCall') : editor.write(frame));
  }

  async #toolCall(frame: Uint8Array, message: Message, name: string): Promise<void> {
    const { editor, embedded } = this.#options;
    const { conversationId, part } = partOf(frame, message, name);
    await (part === null ? editor.write(frame) : embedded.pass(frame, conversationId, part));
  }
}

/** @throws NotJson */
function partOf(
  frame: Uint8Array,
  { params }: Message,
  name: string,
): { readonly conversationId: string; readonly part: Span | null } {
  if (params === null) return { conversationId: '', part: null };
  const conversationId = textMember(frame, params, 'sessionId') ?? '';
  return { conversationId, part: objectIn(frame, params, name) };
}

/** A cheap check without false negatives: JSON may escape a letter. */
function mentionsTerminals(frame: Uint8Array): boolean {
  const bytes = Buffer.from(frame.buffer, frame.byteOffset, frame.byteLength);
  return bytes.includes('terminal') || bytes.includes('\\u00');
}

/** Limit of requests without an answer. */
const maxPending = 1_000;

/** The directory of each conversation, from its first request; its id is in the answer. */
export class Conversations {
  readonly #cwds = new Map<string, string>();
  /** Directories by the request's id. */
  readonly #pending = new Map<string, string>();

  cwd(conversationId: string): string | undefined {
    return this.#cwds.get(conversationId);
  }

  set(conversationId: string, cwd: string): void {
    this.#cwds.set(conversationId, cwd);
  }

  /** Expects the conversation's id in the answer to a request. */
  expect(requestId: string, cwd: string): void {
    if (this.#pending.size < maxPending) this.#pending.set(requestId, cwd);
  }

  isExpected(requestId: string): boolean {
    return this.#pending.has(requestId);
  }

  /** @param conversationId null if the request failed */
  answered(requestId: string, conversationId: string | null): void {
    const cwd = this.#pending.get(requestId);
    this.#pending.delete(requestId);
    if (cwd !== undefined && conversationId !== null) this.#cwds.set(conversationId, cwd);
  }

  delete(conversationId: string): void {
    this.#cwds.delete(conversationId);
  }
}
