import { VtrError } from '#model';
import { isTerminalMethod, type RpcError, type TerminalProvider, toRpcError } from '#wire/acp';
import { textMember } from './editor-messages.ts';
import type { FrameWriter } from './frames/frames.ts';
import { errorFrame, type Message, resultFrame } from './frames/message.ts';

import { member, parse, raw } from './json/spans.ts';

/** Requests under way; an agent that asks for more is told so. */
const maxUnderWay = 1_000;

/** Answers that wait for the agent to read, in bytes; it is asked nothing more until it does. */
const maxWaitingBytes = 32 * 1024 * 1024;

const parseError = -32700;
const methodNotFound = -32601;

export interface TerminalRequestsOptions {
  readonly provider: Pick<TerminalProvider, 'answer'>;
  readonly agent: FrameWriter;
  /** Told of each new terminal before the agent is. */
  readonly onCreated: (conversationId: string, name: string) => void;
  /** Told of each that has ended, and waited for, before the agent is. */
  readonly onEnded: (conversationId: string, name: string) => Promise<void>;
}

/** What is answered when a program has ended. */
const endings: ReadonlySet<string> = new Set(['terminal/wait_for_exit', 'terminal/release']);

/** Answers what an agent asks of terminals, each request when its answer is there. */
export class TerminalRequests {
  readonly #options: TerminalRequestsOptions;
  readonly #underWay = new Map<string, AbortController>();
  #lastInTurn: Promise<unknown> = Promise.resolve();

  constructor(options: TerminalRequestsOptions) {
    this.#options = options;
  }

  /** Resolves when the next frame of the agent may be read; the answer comes when it comes. */
  async take(frame: Uint8Array, message: Message): Promise<void> {
    const { id } = message;
    const { agent } = this.#options;
    if (agent.waitingBytes > maxWaitingBytes) await agent.drained();
    // Nobody waits for an answer to a notification.
    if (id === null) return;
    void this.#answer(frame, message, id).then((answer) => agent.write(answer));
  }

  /** Whether it was one of these requests that is cancelled. @throws NotJson */
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
      const ask = () => this.#result(frame, message, control.signal);
      const isLarge = message.method === 'terminal/output';
      return resultFrame(id, await (isLarge ? this.#inTurn(ask) : ask()));
    } catch (error) {
      return errorFrame(id, isRpcError(error) ? error : toRpcError(error));
    } finally {
      if (this.#underWay.get(id) === control) this.#underWay.delete(id);
    }
  }

  /** Many may be asked for at once: each is made when there is room for it. */
  #inTurn(ask: () => Promise<object>): Promise<object> {
    const { agent } = this.#options;
    const room = () => (agent.waitingBytes > maxWaitingBytes ? agent.drained() : undefined);
    const answer = this.#lastInTurn.then(room).then(ask);
    this.#lastInTurn = answer.catch(() => {});
    return answer;
  }

  async #result(frame: Uint8Array, message: Message, signal: AbortSignal): Promise<object> {
    const { method, params } = message;
    if (method === null || !isTerminalMethod(method)) {
      throw refusal(methodNotFound, `there is no method ${JSON.stringify(method)}`);
    }
    const { provider, onCreated, onEnded } = this.#options;
    const given = params === null ? undefined : parsed(frame, params);
    const result = await provider.answer(method, given, signal);
    // What was answered has its parameters.
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
    throw refusal(parseError, 'the parameters are no JSON');
  }
}

const tooMany = (): VtrError =>
  new VtrError(
    'MAX_SESSIONS',
    `${maxUnderWay} requests of terminals are under way; wait for answers before you ask more`,
  );
