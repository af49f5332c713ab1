import type { IncomingMessage, ServerResponse } from 'node:http';
import { servedOnLoopback } from '../loopback-server.ts';

interface Part {
  readonly text?: string;
}

interface Message {
  readonly role?: string;
  readonly content?: string | readonly Part[];
  /** In the API of Gemini. */
  readonly parts?: readonly Part[];
}

interface Asked {
  readonly model?: string;
  readonly tools?: readonly unknown[];
  /** In the Responses API. */
  readonly input?: readonly Message[];
  /** In the Messages API. */
  readonly messages?: readonly Message[];
  /** In the API of Gemini. */
  readonly contents?: readonly Message[];
}

/** @param type null for events without one */
type Say = (type: string | null, data: object) => void;

const usage = { input_tokens: 1, output_tokens: 1 };

/** How each API streams the answer `Done.`, by the path of its requests. */
const apis: readonly { path: RegExp; answer: (say: Say, model: string) => void }[] = [
  {
    path: /\/responses$/,
    answer(say) {
      const id = newId();
      const content = [{ type: 'output_text', text: 'Done.' }];
      say('response.created', { response: { id } });
      say('response.output_item.done', {
        output_index: 0,
        item: { type: 'message', role: 'assistant', id: `msg_${id}`, content },
      });
      say('response.completed', { response: { id, usage: { ...usage, total_tokens: 2 } } });
    },
  },
  {
    path: /\/messages(?:\?|$)/,
    answer(say, model) {
      const message = {
        id: newId(),
        type: 'message',
        role: 'assistant',
        model,
        content: [],
        usage,
      };
      say('message_start', { message });
      say('content_block_start', { index: 0, content_block: { type: 'text', text: '' } });
      say('content_block_delta', { index: 0, delta: { type: 'text_delta', text: 'Done.' } });
      say('content_block_stop', { index: 0 });
      say('message_delta', { delta: { stop_reason: 'end_turn', stop_sequence: null }, usage });
      say('message_stop', {});
    },
  },
  {
    path: /:streamGenerateContent(?:\?|$)/,
    answer(say) {
      const content = { role: 'model', parts: [{ text: 'Done.' }] };
      const usageMetadata = { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 };
      say(null, { candidates: [{ index: 0, content, finishReason: 'STOP' }], usageMetadata });
    },
  },
];

/** Claude Code encloses a long paste with these. */
const marksOfPaste = /^\s*<pasted_content[^>]*>\n|\n<\/pasted_content[^>]*>\s*$/g;

const newId = (): string => Math.random().toString(36).slice(2);

/**
 * A language model on loopback that answers each prompt with `Done.`, in the APIs of several agents, and keeps the
 * prompts.
 */
export class PromptedModel {
  readonly #begin: string;
  /** The prompts that begin as those of the test do, in order. Agents ask for titles as well. */
  readonly prompts: string[] = [];

  private constructor(begin: string) {
    this.#begin = begin;
  }

  /**
   * @param begin of each prompt
   * @returns the model, and its address until the test ends
   */
  static async start(begin: string): Promise<{ model: PromptedModel; url: string }> {
    const model = new PromptedModel(begin);
    const url = await servedOnLoopback((request, response) => model.#onRequest(request, response));
    return { model, url };
  }

  async #onRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    const api = apis.find(({ path }) => path.test(request.url ?? ''));
    if (api === undefined) {
      response.setHeader('content-type', 'application/json').end('{"input_tokens":1,"data":[]}');
      return;
    }
    const modelRequest: Asked = JSON.parse(body);
    this.#note(modelRequest);
    response.setHeader('content-type', 'text/event-stream');
    const say: Say = (type, data) =>
      response.write(
        type === null
          ? `data: ${JSON.stringify(data)}\n\n`
          : `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`,
      );
    api.answer(say, modelRequest.model ?? '');
    response.end();
  }

  #note({ input, messages, contents, tools = [] }: Asked): void {
    // A title is asked for without tools.
    if (tools.length === 0) return;
    const users = (input ?? messages ?? contents ?? []).filter(({ role }) => role === 'user');
    const prompt = (textsOf(users.at(-1)).at(-1) ?? '').replace(marksOfPaste, '');
    if (prompt.startsWith(this.#begin)) this.prompts.push(prompt);
  }
}

function textsOf({ parts = [], content = parts }: Message = {}): readonly string[] {
  return typeof content === 'string' ? [content] : content.flatMap(({ text }) => text ?? []);
}
