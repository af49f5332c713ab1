import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What the model does with the next request of an agent. */
export type Turn =
  | { readonly does: 'says'; readonly text: string; readonly wordMs?: number }
  /** Opens its answer, and says nothing for a time in ms. */
  | { readonly does: 'waits'; readonly ms: number }
  | { readonly does: 'calls'; readonly tool: keyof typeof toolNames; readonly args: object }
  | { readonly does: 'fails' };

/** What an agent asks for itself, with tools and with the conversation: what to remember, whether a call is safe. */
const ofAgent = /You are (?:now acting as the managed memory|a security classifier)/;

/** Names of the tools that agents have for the same. */
const toolNames = {
  command:
    /^(?:exec_command|execute|execute_bash|shell_command|local_shell|shell|bash|execute_command|run_shell_command|run_commands?|run_in_terminal)$/i,
  edit: /^(?:write_file|write|write_to_file|create|create_file|editor)$/i,
  question:
    /^(?:AskUserQuestion|ask_user_question|ask_user|question|ask_followup_question|ask_question|request_user_input)$/i,
};

interface Schema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly enum?: readonly unknown[];
  readonly items?: Schema;
}

interface Tool {
  readonly name: string;
  readonly schema: Schema;
}

interface Called {
  readonly name: string;
  readonly args: object;
}

/** How an API streams an answer. */
interface Api {
  readonly path: RegExp;
  begin(say: Say, id: string): void;
  text(say: Say, text: string): void;
  call(say: Say, called: Called, id: string): void;
  end(say: Say, id: string, called: Called | null, text: string): void;
}

/** @param type null for events without one */
type Say = (type: string | null, data: object | string) => void;

const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };

const choice = (delta: object, finish: string | null = null) => ({
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'scripted',
  choices: [{ index: 0, delta, finish_reason: finish }],
});

const apis: readonly Api[] = [
  {
    path: /\/responses$/,
    begin(say, id) {
      say('response.created', { response: { id } });
      const item = { type: 'message', role: 'assistant', id: `msg_${id}`, content: [] };
      say('response.output_item.added', { output_index: 0, item });
    },
    text: (say, delta) =>
      say('response.output_text.delta', {
        item_id: 'msg',
        output_index: 0,
        content_index: 0,
        delta,
      }),
    call: (say, { name, args }, id) =>
      say('response.output_item.done', {
        output_index: 1,
        item: {
          type: 'function_call',
          id: `fc_${id}`,
          call_id: `call_${id}`,
          name,
          arguments: JSON.stringify(args),
        },
      }),
    end(say, id, called, text) {
      if (called === null) {
        const content = [{ type: 'output_text', text }];
        const item = { type: 'message', role: 'assistant', id: `msg_${id}`, content };
        say('response.output_item.done', { output_index: 0, item });
      }
      say('response.completed', { response: { id, usage } });
    },
  },
  {
    path: /\/messages(?:\?|$)/,
    begin(say, id) {
      const message = { id, type: 'message', role: 'assistant', model: 'scripted', content: [] };
      say('message_start', { message: { ...message, usage } });
      say('content_block_start', { index: 0, content_block: { type: 'text', text: '' } });
    },
    text: (say, text) =>
      say('content_block_delta', { index: 0, delta: { type: 'text_delta', text } }),
    call(say, { name, args }, id) {
      say('content_block_stop', { index: 0 });
      const block = { type: 'tool_use', id: `toolu_${id}`, name, input: {} };
      say('content_block_start', { index: 1, content_block: block });
      const delta = { type: 'input_json_delta', partial_json: JSON.stringify(args) };
      say('content_block_delta', { index: 1, delta });
    },
    end(say, _id, called) {
      say('content_block_stop', { index: called === null ? 0 : 1 });
      const stop_reason = called === null ? 'end_turn' : 'tool_use';
      say('message_delta', { delta: { stop_reason, stop_sequence: null }, usage });
      say('message_stop', {});
    },
  },
  {
    path: /:streamGenerateContent(?:\?|$)/,
    begin() {},
    text: (say, text) =>
      say(null, { candidates: [{ index: 0, content: { role: 'model', parts: [{ text }] } }] }),
    call: (say, call) =>
      say(null, {
        candidates: [{ index: 0, content: { role: 'model', parts: [{ functionCall: call }] } }],
      }),
    end: (say) =>
      say(null, {
        candidates: [
          { index: 0, content: { role: 'model', parts: [{ text: '' }] }, finishReason: 'STOP' },
        ],
        usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
      }),
  },
  {
    path: /\/chat\/completions$/,
    begin: (say) => say(null, choice({ role: 'assistant', content: '' })),
    text: (say, content) => say(null, choice({ content })),
    call: (say, { name, args }, id) => {
      const call = { name, arguments: JSON.stringify(args) };
      say(null, choice({ tool_calls: [{ index: 0, id, type: 'function', function: call }] }));
    },
    end(say, _id, called) {
      say(null, choice({}, called === null ? 'stop' : 'tool_calls'));
      const counts = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
      say(null, { ...choice({}), choices: [], usage: counts });
      say(null, '[DONE]');
    },
  },
];

/**
 * A language model on loopback that speaks the APIs of all agents, and does what a walk told it. Requests that a walk
 * did not cause, such as those for titles, get a short answer.
 */
export class WalkedModel {
  readonly #server: Server;
  /** What it does with the next requests of the walk; then it says a word. */
  readonly turns: Turn[] = [];
  /** Of the walk, that it answers just now. */
  open = 0;
  /** Of the walk, so far. */
  requests = 0;
  /** Whether its last answer called a tool. */
  called = false;
  /** When a request of the walk began or ended, in ms since 1970. */
  changedAtMs = 0;
  /** The tools that the last request offered. */
  tools: readonly Tool[] = [];

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(): Promise<WalkedModel> {
    const server = createServer();
    const model = new WalkedModel(server);
    server.on('request', (request, response) => void model.#onRequest(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return model;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  dispose(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #onRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    const path = request.url ?? '';
    const api = apis.find((each) => each.path.test(path.replace(/\?.*/, '')));
    if (api === undefined) {
      const models = [{ id: 'scripted', object: 'model', name: 'scripted' }];
      response
        .setHeader('content-type', 'application/json')
        .end(JSON.stringify({ input_tokens: 1, totalTokens: 1, object: 'list', data: models }));
      return;
    }
    const message = JSON.parse(body);
    const tools = toolsOf(message);
    const isOfWalk = tools.length > 1 && body.includes('walk:') && !ofAgent.test(body);
    const turn: Turn = (isOfWalk ? this.turns.shift() : null) ?? { does: 'says', text: 'Done.' };
    if (isOfWalk) this.#began(tools);
    try {
      if (turn.does === 'fails') {
        const error = { message: 'the model does not like this', type: 'invalid_request_error' };
        response
          .writeHead(400, { 'content-type': 'application/json' })
          .end(JSON.stringify({ type: 'error', error }));
      } else if (
        message.stream === false ||
        (message.stream === undefined && !/stream/i.test(path))
      ) {
        response
          .setHeader('content-type', 'application/json')
          .end(JSON.stringify(whole(path, message)));
      } else {
        await this.#answer(api, turn, response);
      }
    } finally {
      if (isOfWalk) this.#ended();
    }
  }

  #began(tools: readonly Tool[]): void {
    this.tools = tools;
    this.open++;
    this.requests++;
    this.changedAtMs = Date.now();
  }

  #ended(): void {
    this.open--;
    this.changedAtMs = Date.now();
  }

  async #answer(api: Api, turn: Turn, response: ServerResponse): Promise<void> {
    const id = Math.random().toString(36).slice(2);
    response.setHeader('content-type', 'text/event-stream');
    const closed = new Promise<void>((resolve) => void response.on('close', resolve));
    const pause = (ms: number) =>
      Promise.race([closed, new Promise((resolve) => setTimeout(resolve, ms))]);
    const isChat = api.path.test('/chat/completions') || api.path.test(':streamGenerateContent');
    const say: Say = (type, data) => {
      if (response.destroyed) return;
      const line =
        typeof data === 'string' ? data : JSON.stringify(isChat ? data : { type, ...data });
      response.write(`${type === null ? '' : `event: ${type}\n`}data: ${line}\n\n`);
    };
    api.begin(say, id);
    let called: Called | null = null;
    if (turn.does !== 'says' || turn.wordMs !== undefined) this.called = false;
    let text = 'Done.';
    if (turn.does === 'says') {
      text = turn.text;
      for (const word of turn.text.split(/(?<=\s)/)) {
        if (response.destroyed) break;
        api.text(say, word);
        if (turn.wordMs !== undefined) await pause(turn.wordMs);
      }
    }
    if (turn.does === 'waits') {
      await pause(turn.ms);
      api.text(say, text);
    }
    if (turn.does === 'calls') {
      const tool = this.tools.find(({ name }) => toolNames[turn.tool].test(name));
      if (tool === undefined) api.text(say, `There is no tool for a ${turn.tool}.`);
      else {
        called = { name: tool.name, args: filled(tool.schema, turn.args) as object };
        this.called = true;
        api.call(say, called, id);
      }
    }
    api.end(say, id, called, text);
    response.end();
  }
}

/** What a request wants instead of a text. */
interface Asked {
  readonly generationConfig?: { readonly responseJsonSchema?: Schema };
}

/** An answer that is not streamed. */
const whole = (path: string, { generationConfig }: Asked): object =>
  path.includes('generateContent')
    ? {
        candidates: [
          {
            content: {
              role: 'model',
              parts: [
                { text: JSON.stringify(filled(generationConfig?.responseJsonSchema ?? {}, {})) },
              ],
            },
            finishReason: 'STOP',
          },
        ],
      }
    : {
        id: '1',
        type: 'message',
        role: 'assistant',
        model: 'scripted',
        content: [{ type: 'text', text: 'Done.' }],
        stop_reason: 'end_turn',
        usage,
        choices: [
          { index: 0, message: { role: 'assistant', content: 'Done.' }, finish_reason: 'stop' },
        ],
      };

function toolsOf({ tools = [] }: { tools?: readonly Record<string, unknown>[] }): Tool[] {
  return tools.flatMap((tool): Tool[] => {
    const declared = (tool['functionDeclarations'] ?? tool['tools']) as
      | readonly Record<string, unknown>[]
      | undefined;
    if (declared !== undefined) return toolsOf({ tools: declared });
    const { name, parameters, parametersJsonSchema, input_schema } = {
      ...tool,
      ...(tool['function'] as object | undefined),
    } as Record<string, unknown>;
    const schema = (input_schema ?? parametersJsonSchema ?? parameters ?? {}) as Schema;
    return typeof name === 'string' ? [{ name, schema }] : [];
  });
}

/** Other names of the same arguments. */
const sameNames: Readonly<Record<string, readonly string[]>> = {
  command: ['cmd', 'commands', 'script'],
  path: ['file_path', 'filePath', 'absolute_path', 'filename'],
  content: ['file_text', 'contents', 'text', 'new_text'],
  question: ['prompt', 'title'],
};

/** Returns arguments as a schema wants them: known ones by their names, others with any value. */
function filled(schema: Schema, base: object): unknown {
  const values = Object.entries(base).flatMap(([name, value]) =>
    [name, ...(sameNames[name] ?? [])].map((each) => [each, value] as const),
  );
  const byName = new Map<string, unknown>(values);
  const { properties = {}, required = [] } = schema;
  const names = Object.keys(properties).filter(
    (name) => byName.has(name) || required.includes(name),
  );
  const args: [string, unknown][] = names.map((name) => {
    const schema = properties[name] ?? {};
    return [name, byName.has(name) ? asWanted(schema, byName.get(name)) : anyOf(schema)];
  });
  return Object.fromEntries(args);
}

const typeOf = ({ type }: Schema): string | undefined =>
  typeof type === 'string' ? type : type?.find((each) => each !== 'null');

function asWanted(schema: Schema, value: unknown): unknown {
  if (typeOf(schema) !== 'array') return value;
  const each = schema.items ?? {};
  const list = Array.isArray(value) ? value : [value];
  return list.map((item) => {
    if (typeof item === 'string' && typeOf(each) === 'object')
      return filled(each, { command: item });
    return typeof item === 'object' && item !== null ? filled(each, item) : item;
  });
}

function anyOf(schema: Schema): unknown {
  if (schema.enum !== undefined) return schema.enum[0];
  switch (typeOf(schema)) {
    case 'number':
    case 'integer':
      return 20_000;
    case 'boolean':
      return false;
    case 'array':
      return [];
    case 'object':
      return filled(schema, {});
    default:
      return 'A step of the walk';
  }
}
