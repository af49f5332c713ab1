import type { Conversations } from './conversations.ts';
import type { DisplayedTerminals } from './displayed/displayed-terminals.ts';
import { textMember } from './editor-messages.ts';
import type { EmbeddedTerminals } from './embedded/embedded-terminals.ts';
import type { FrameWriter } from './frames/frames.ts';
import type { Message } from './frames/message.ts';
import { objectIn } from './json/edits.ts';
import { parse, type Span } from './json/spans.ts';
import type { TerminalRequests } from './terminal-requests.ts';

export interface FromAgentOptions {
  readonly editor: FrameWriter;
  readonly requests: TerminalRequests;
  readonly embedded: EmbeddedTerminals;
  readonly displayed: DisplayedTerminals;
  readonly conversations: Conversations;
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
    else if (isOurs && method === 'session/request_permission') {
      return this.#toolCall(frame, message, 'toolCall');
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
    const { editor, displayed, embedded } = this.#options;
    const isOfTerminals = mentionsTerminals(frame);
    if (isOfTerminals || displayed.areAny) {
      const { conversationId, part } = partOf(frame, message, 'update');
      const ended = part === null ? [] : displayed.see(conversationId, parse(frame, part));
      // The editor gets their last text before this message.
      for (const id of ended) await embedded.settle(conversationId, id);
    }
    if (isOurs && (isOfTerminals || embedded.isFollowing)) {
      return this.#toolCall(frame, message, 'update');
    }
    await editor.write(frame);
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
