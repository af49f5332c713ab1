import { textMember } from './editor-messages.ts';
import type { Message } from './frames.ts';
import { arrayIn, objectIn, parse, type Span } from './json-spans.ts';

/** Limit of requests that the editor has not answered. */
const maxPending = 1_000;

/** The tool call for which an agent asks the editor's person. */
export interface ToolCallRef {
  readonly conversationId: string;
  readonly toolCallId: string;
}

interface Question extends ToolCallRef {
  /** The ids of the options that allow it. */
  readonly allowing: readonly unknown[];
}

/** The `session/request_permission` that the editor has not answered. */
export class Permissions {
  readonly #questions = new Map<string, Question>();

  /** Notes a request of the agent. @returns its tool call; null if it names none. @throws NotJson */
  ask(frame: Uint8Array, { id, params }: Message): ToolCallRef | null {
    if (id === null || params === null) return null;
    const toolCall = objectIn(frame, params, 'toolCall');
    const toolCallId = toolCall && textMember(frame, toolCall, 'toolCallId');
    if (toolCallId === null) return null;
    const options = arrayIn(frame, params, 'options');
    const question = {
      conversationId: textMember(frame, params, 'sessionId') ?? '',
      toolCallId,
      allowing: options === null ? [] : allowingIn(parse(frame, options)),
    };
    if (this.#questions.size < maxPending) this.#questions.set(id, question);
    return question;
  }

  /**
   * Takes an answer of the editor. A failure, and a cancelled request, allow nothing.
   *
   * @returns null if it answers something else. @throws NotJson
   */
  take(
    frame: Uint8Array,
    { id, result }: Message,
  ): (ToolCallRef & { readonly isAllowed: boolean }) | null {
    const question = id === null ? undefined : this.#questions.get(id);
    if (id === null || question === undefined) return null;
    this.#questions.delete(id);
    const { allowing, ...toolCall } = question;
    const optionId = result === null ? null : selectedIn(frame, result);
    return { ...toolCall, isAllowed: optionId !== null && allowing.includes(optionId) };
  }
}

/** Returns the id of the option that was selected; null if none was. */
function selectedIn(frame: Uint8Array, result: Span): string | null {
  const outcome = objectIn(frame, result, 'outcome');
  return outcome === null ? null : textMember(frame, outcome, 'optionId');
}

const allowingIn = (options: unknown): readonly unknown[] =>
  Array.isArray(options)
    ? options
        .filter((option) => String(option?.kind).startsWith('allow'))
        .map(({ optionId }) => optionId)
    : [];
