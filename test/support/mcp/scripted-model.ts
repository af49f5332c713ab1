import type { IncomingMessage, ServerResponse } from 'node:http';
import { servedOnLoopback } from '../loopback-server.ts';

/** Returns the next call of the model, given the answer to its last one. */
export type Step = (answered: string) => { readonly name: string; readonly input: object };

interface Content {
  readonly type: string;
  readonly content?: string | readonly { readonly text?: string }[];
}

interface Asked {
  readonly model: string;
  readonly tools?: readonly { readonly name: string }[];
  readonly messages: readonly { readonly content: string | readonly Content[] }[];
}

/**
 * A language model on loopback that follows a script: the streamed part of the Messages API that agents
 * use. Requests without tools are for titles and similar texts.
 */
export class ScriptedModel {
  readonly #steps: Step[];
  /** The answers of the tools, in the order of the steps. */
  readonly answered: string[] = [];

  private constructor(steps: readonly Step[]) {
    this.#steps = [...steps];
  }

  /** @returns the model, and its address until the test ends */
  static async start(steps: readonly Step[]): Promise<{ model: ScriptedModel; url: string }> {
    const model = new ScriptedModel(steps);
    const url = await servedOnLoopback((request, response) => model.#onRequest(request, response));
    return { model, url };
  }

  async #onRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    if (request.url?.startsWith('/v1/messages?') || request.url === '/v1/messages') {
      answer(response, JSON.parse(body).model, this.#next(JSON.parse(body)));
    } else {
      response.setHeader('content-type', 'application/json').end('{"input_tokens":1}');
    }
  }

  #next({ tools = [], messages }: Asked): ReturnType<Step> | null {
    if (tools.length === 0) return null;
    const last = messages.at(-1)?.content ?? [];
    const results =
      typeof last === 'string' ? [] : last.filter(({ type }) => type === 'tool_result');
    const text = results.map(textOf).join('');
    if (results.length > 0) this.answered.push(text);
    return this.#steps.shift()?.(text) ?? null;
  }
}

function textOf({ content = [] }: Content): string {
  return typeof content === 'string' ? content : content.map(({ text = '' }) => text).join('');
}

/** The server-sent events of one message: the call of a tool, or a final text. */
function answer(response: ServerResponse, model: string, call: ReturnType<Step> | null): void {
  const say = (type: string, data: object) =>
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
  const id = Math.random().toString(36).slice(2);
  const usage = { input_tokens: 1, output_tokens: 1 };
  response.setHeader('content-type', 'text/event-stream');
  say('message_start', {
    message: { id, type: 'message', role: 'assistant', model, content: [], usage },
  });
  say('content_block_start', {
    index: 0,
    content_block:
      call === null
        ? { type: 'text', text: '' }
        : { type: 'tool_use', id: `toolu_${id}`, name: call.name, input: {} },
  });
  say('content_block_delta', {
    index: 0,
    delta:
      call === null
        ? { type: 'text_delta', text: 'Done.' }
        : { type: 'input_json_delta', partial_json: JSON.stringify(call.input) },
  });
  say('content_block_stop', { index: 0 });
  const stop_reason = call === null ? 'end_turn' : 'tool_use';
  say('message_delta', { delta: { stop_reason, stop_sequence: null }, usage });
  say('message_stop', {});
  response.end();
}
