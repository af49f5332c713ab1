import type { Conversations } from './conversations.ts';
import {
  capabilitiesIn,
  type EditorCapabilities,
  type StdioServer,
  textMember,
  withServer,
  withTerminals,
} from './editor-messages.ts';
import type { Message } from './frames/message.ts';

/** Methods that begin a conversation and accept MCP servers for it. */
const beginnings = new Set(['session/new', 'session/load', 'session/resume', 'session/fork']);
const ends = new Set(['session/close', 'session/delete']);

export interface FromEditorOptions {
  /** Whether an editor that has terminals keeps them. */
  readonly passthrough: boolean;
  /** Given to the agent for each conversation. */
  readonly server: StdioServer | null;
  readonly conversations: Conversations;
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
    return frame;
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
