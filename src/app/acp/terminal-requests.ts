import { ignored, quoted } from '#base';
import { VtrError } from '#model';
import { isTerminalMethod, type RpcError, type TerminalProvider, toRpcError } from '#wire/acp';
import { textMember } from './editor-messages.ts';
import { errorFrame, type FrameWriter, type Message, resultFrame } from './frames.ts';

import { member, parse, raw } from './json-spans.ts';

/** Limit of requests in progress; more are refused. */
const maxUnderWay = 1_000;

/** Limit of answers that the agent has not read, in bytes; over it, its requests are not read. */
const maxWaitingBytes = 32 * 1024 * 1024;

const parseError = -32700;
const methodNotFound = -32601;

export interface TerminalRequestsOptions {
  readonly provider: Pick<TerminalProvider, 'answer'>;
  readonly agent: FrameWriter;
  /** Called with each new terminal before the agent gets the answer. */
  readonly onCreated: (conversationId: string, name: string) => void;
  /** Called with each ended terminal, and awaited, before the agent gets the answer. */
  readonly onEnded: (conversationId: string, name: string) => Promise<void>;
}

/** Methods that are answered after a program has ended. */
const endings: ReadonlySet<string> = new Set(['terminal/wait_for_exit', 'terminal/release']);

/** Answers an agent's terminal requests, each when its result is there. */
export class TerminalRequests {
  readonly #options: TerminalRequestsOptions;
  readonly #underWay = new Map<string, AbortController>();
  #lastLarge: Promise<unknown> = Promise.resolve();

  constructor(options: TerminalRequestsOptions) {
    this.#options = options;
  }

  /** Resolves when the agent's next frame may be read, not when the request is answered. */
  async take(frame: Uint8Array, message: Message): Promise<void> {
    const { id } = message;
    const { agent } = this.#options;
    if (agent.waitingBytes > maxWaitingBytes) await agent.drained();
    // A notification has no answer.
    if (id === null) return;
    void this.#answer(frame, message, id).then((answer) => agent.write(answer));
  }

  /** Cancels a request. Returns whether it was one of these. @throws NotJson */
  cancel(frame: Uint8Array, { params }: Message): boolean {
    const requestId = params === null ? null : member(frame, params.start, 'requestId');
    if (requestId === null) return false;
    const value = parse(frame, requestId);
    const id = typeof value === 'string' ? JSON.stringify(value) : raw(frame, requestId);
    const request = this.#underWay.get(id);
    request?.abort();
    return request !== undefined;
  }

  async #answer(frame: Uint8Array, message: Message, id: string): Promise<string> {
    const control = new AbortController();
    try {
      if (this.#underWay.size >= maxUnderWay) throw tooMany();
      this.#underWay.set(id, control);
      const request = () => this.#result(frame, message, control.signal);
      const isLarge = message.method === 'terminal/output';
      return resultFrame(id, await (isLarge ? this.#oneAtATime(request) : request()));
    } catch (error) {
      return errorFrame(id, isRpcError(error) ? error : toRpcError(error));
    } finally {
      if (this.#underWay.get(id) === control) this.#underWay.delete(id);
    }
  }

  /** Many large answers may be requested at once: each is created when the agent has read enough of the others. */
  #oneAtATime(request: () => Promise<object>): Promise<object> {
    const { agent } = this.#options;
    const readyToWrite = () => (agent.waitingBytes > maxWaitingBytes ? agent.drained() : undefined);
    const answer = this.#lastLarge.then(readyToWrite).then(request);
    this.#lastLarge = ignored(answer, 'the caller gets the error');
    return answer;
  }

  async #result(frame: Uint8Array, message: Message, signal: AbortSignal): Promise<object> {
    const { method, params } = message;
    if (method === null || !isTerminalMethod(method)) {
      throw refusal(methodNotFound, `unknown method ${quoted(method)}`);
    }
    const { provider, onCreated, onEnded } = this.#options;
    const parameters = params === null ? undefined : parsed(frame, params);
    const result = await provider.answer(method, parameters, signal);
    // The provider has checked the parameters.
    const text = (key: string) => (params === null ? null : textMember(frame, params, key)) ?? '';
    if ('terminalId' in result) onCreated(text('sessionId'), result.terminalId);
    if (endings.has(method)) await onEnded(text('sessionId'), text('terminalId'));
    return result;
  }
}

const isRpcError = (error: unknown): error is RpcError => !(error instanceof Error);

const refusal = (code: number, message: string): RpcError => ({ code, message, data: {} });

function parsed(
  frame: Uint8Array,
  span: { readonly start: number; readonly end: number },
): unknown {
  try {
    return parse(frame, span);
  } catch {
    throw refusal(parseError, 'the parameters are not valid JSON');
  }
}

const tooMany = (): VtrError =>
  new VtrError(
    'MAX_SESSIONS',
    `${maxUnderWay} terminal requests are in progress; wait for answers before sending more`,
  );
