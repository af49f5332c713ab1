import { defined } from '#base';
import { type CancelSignal, type Coordinator, type EndedBy, VtrError } from '#model';
import type { AgentTerminal, TerminalExit, TerminalOutput } from './agent-terminal.ts';
import { AuditTrail } from './audit-trail.ts';
import { OpenTerminals } from './open-terminals.ts';
import { settingsOf, type TerminalOptions } from './options.ts';
import { createParameters, terminalParameters } from './parameters.ts';

/** The methods that an agent may call. */
export const terminalMethods = [
  'terminal/create',
  'terminal/output',
  'terminal/wait_for_exit',
  'terminal/kill',
  'terminal/release',
] as const;

export type TerminalMethod = (typeof terminalMethods)[number];

export const isTerminalMethod = (method: string): method is TerminalMethod =>
  (terminalMethods as readonly string[]).includes(method);

/** The result of each method. */
export interface TerminalAnswers {
  readonly 'terminal/create': { readonly terminalId: string };
  readonly 'terminal/output': OutputAnswer;
  readonly 'terminal/wait_for_exit': ExitAnswer;
  readonly 'terminal/kill': Readonly<Record<string, never>>;
  readonly 'terminal/release': Readonly<Record<string, never>>;
}

type Handlers = {
  readonly [Method in TerminalMethod]: (
    params: unknown,
    signal: CancelSignal,
  ) => Promise<TerminalAnswers[Method]>;
};

/**
 * The terminals of one connection to an agent, as sessions of a coordinator. A session's name is its
 * `terminalId`. Independent of the transport of requests.
 */
export class TerminalProvider {
  readonly #terminals: OpenTerminals;
  readonly #handlers: Handlers = {
    'terminal/create': (params, signal) => this.#create(params, signal),
    'terminal/output': async (params) => {
      return outputAnswer(await this.#find('terminal/output', params).output());
    },
    'terminal/wait_for_exit': async (params) => {
      return exitAnswer(await this.#find('terminal/wait_for_exit', params).waitForExit());
    },
    'terminal/kill': async (params) => {
      await this.#find('terminal/kill', params).kill();
      return {};
    },
    'terminal/release': async (params) => {
      await this.#terminals.release(this.#find('terminal/release', params));
      return {};
    },
  };

  /** @throws VtrError INVALID_ARGUMENT for invalid options, or an audit file that is not private; IO_ERROR if it cannot be written */
  constructor(coordinator: Coordinator, options: TerminalOptions = {}) {
    const settings = settingsOf(options);
    this.#terminals = new OpenTerminals(coordinator, settings, new AuditTrail(settings));
  }

  /**
   * Answers a request. A released terminal is unknown from the call on.
   *
   * @param params unchecked
   * @param signal cancels the request; only a cancelled `terminal/create` ends a program, its own
   * @throws VtrError; convert it by `toRpcError`
   */
  async answer<Method extends TerminalMethod>(
    method: Method,
    params: unknown,
    signal: CancelSignal,
  ): Promise<TerminalAnswers[Method]> {
    return unlessCancelled(this.#handlers[method](params, signal), signal);
  }

  /** Releases the terminals of a conversation that has ended. */
  releaseConversation(conversationId: string): Promise<void> {
    return this.#terminals.releaseConversation(conversationId);
  }

  /** Releases all terminals. Resolves when no program runs; requests fail after this call. */
  close(): Promise<void> {
    return this.#terminals.close();
  }

  async #create(params: unknown, signal: CancelSignal): Promise<{ terminalId: string }> {
    const { name } = await this.#terminals.open(createParameters(params), signal);
    return { terminalId: name };
  }

  /** @throws VtrError INVALID_ARGUMENT, SESSION_NOT_FOUND */
  #find(method: TerminalMethod, params: unknown): AgentTerminal {
    const { conversationId, terminalId } = terminalParameters(method, params);
    return this.#terminals.find(conversationId, terminalId);
  }
}

/** `clientCapabilities` of a client with terminals, for `initialize`. */
export const terminalCapabilities = { terminal: true } as const;

/** Returns the promise's result. @throws VtrError CANCELLED if the signal aborts first */
async function unlessCancelled<T>(promised: Promise<T>, signal: CancelSignal): Promise<T> {
  let cancel = () => {};
  const cancelled = new Promise<never>((_resolve, reject) => {
    cancel = () => reject(new VtrError('CANCELLED', 'the request was cancelled'));
  });
  signal.addEventListener('abort', cancel);
  if (signal.aborted) cancel();
  try {
    return await Promise.race([promised, cancelled]);
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}

/** The protocol's `TerminalExitStatus`, and the result of `terminal/wait_for_exit`. */
export interface ExitAnswer {
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** The limit by which vtr ended the program, if it did. */
  readonly _meta?: { readonly vtr: { readonly endedBy: EndedBy } };
}

/** The result of `terminal/output`. */
export interface OutputAnswer {
  readonly output: string;
  readonly truncated: boolean;
  /** Absent while the program runs. */
  readonly exitStatus?: ExitAnswer;
}

function exitAnswer({ status, endedBy }: TerminalExit): ExitAnswer {
  const { code: exitCode, signal } = status;
  return { exitCode, signal, ...defined({ _meta: endedBy && { vtr: { endedBy } } }) };
}

function outputAnswer({ text, truncated, exit }: TerminalOutput): OutputAnswer {
  return { output: text, truncated, ...defined({ exitStatus: exit && exitAnswer(exit) }) };
}
