import { cleanLine, type Disposable, defined, ignored, type Timers } from '#base';
import {
  asVtrError,
  type Coordinator,
  type ExitStatus,
  isSize,
  type Publication,
  type PublishRequest,
  type Size,
  VtrError,
} from '#model';
import type { ToolCallRef } from './permissions.ts';

/** Limit of terminals; over it, the oldest is closed as if hung up. */
const maxTerminals = 200;

export interface DisplayedTerminalsOptions {
  readonly coordinator: Coordinator;
  /** The agent's name, for people. */
  readonly by: string;
  /** Time that they stay after their end, in ms. */
  readonly keepMs: number;
  readonly timers: Timers;
  /**
   * Whether one begins only with its output: before that, its command may turn out to run in a session. Default: false.
   */
  readonly waitsForOutput?: boolean;
  /** Called with each new one. `id` is the agent's, within the conversation. */
  readonly onBegun: (conversationId: string, id: string, terminal: DisplayedTerminal) => void;
}

/** The terminals that an agent runs itself and shows. */
export class DisplayedTerminals {
  readonly #options: DisplayedTerminalsOptions;
  readonly #terminals = new Map<string, DisplayedTerminal>();

  constructor(options: DisplayedTerminalsOptions) {
    this.#options = options;
  }

  /** Whether there are any. If so, titles of tool calls matter. */
  get areAny(): boolean {
    return this.#terminals.size > 0;
  }

  /**
   * Applies an update of a `session/update`.
   *
   * @returns the ids of the terminals that it ended
   */
  see(conversationId: string, update: unknown): readonly string[] {
    const steps = displaysIn(update);
    for (const step of steps) this.#take(conversationId, step);
    return steps.filter(({ exit }) => exit !== undefined).map(({ terminalId }) => terminalId);
  }

  /** Notes that the agent asks whether a command may run. It has not begun then, whatever the agent said. */
  ask(toolCall: ToolCallRef): void {
    this.#of(toolCall)?.ask();
  }

  /** Notes the answer. A command that is denied never begins. */
  decide(toolCall: ToolCallRef, isAllowed: boolean): void {
    this.#of(toolCall)?.decide(isAllowed);
  }

  /** Shows a session in which the command of a tool call runs. @returns whether the call has a terminal */
  adopt(toolCall: ToolCallRef, session: string): boolean {
    const terminal = this.#of(toolCall);
    terminal?.adopt(session);
    return terminal !== undefined;
  }

  /** Closes all. Those that have not ended count as hung up. */
  async close(): Promise<void> {
    await Promise.all([...this.#terminals.values()].map((each) => each.close()));
  }

  /** Agents name a terminal as its tool call. */
  #of({ conversationId, toolCallId }: ToolCallRef): DisplayedTerminal | undefined {
    return this.#terminals.get(keyOf(conversationId, toolCallId));
  }

  #take(conversationId: string, step: DisplayStep): void {
    const key = keyOf(conversationId, step.terminalId);
    const terminal = this.#terminals.get(key);
    if (terminal !== undefined) terminal.take(step);
    else if (begins(step)) this.#begin(key, conversationId, step);
  }

  #begin(key: string, conversationId: string, first: DisplayStep): void {
    const { coordinator, by, keepMs, timers, waitsForOutput = false, onBegun } = this.#options;
    const request = { name: first.terminalId, by, lifetime: { keepExitedMs: keepMs } };
    const terminal = new DisplayedTerminal({ coordinator, timers, request, waitsForOutput });
    // Ended ones stay, so that a later update of one does not begin another.
    this.#terminals.set(key, terminal);
    onBegun(conversationId, first.terminalId, terminal);
    terminal.take(first);
    this.#dropOldest();
  }

  #dropOldest(): void {
    const [oldest] = this.#terminals;
    if (this.#terminals.size <= maxTerminals || oldest === undefined) return;
    this.#terminals.delete(oldest[0]);
    void oldest[1].close();
  }
}

const keyOf = (conversationId: string, id: string): string => JSON.stringify([conversationId, id]);

/** Whether the first step of an unknown terminal begins it. Any tool call may have a title and run. */
const begins = ({ exit, newTitle, output, snapshot, ...step }: DisplayStep): boolean => {
  if (output !== undefined || snapshot !== undefined) return true;
  const isAnnounced = [step.title, step.cwd, step.size].some((fact) => fact !== undefined);
  return (
    exit === undefined &&
    newTitle === undefined &&
    (isAnnounced || !(step.isRunning || step.hasFailed))
  );
};

/** Limit of output that the coordinator has not received yet, in bytes; more is left out, with a note. */
const maxWaitingBytes = 4 * 1024 * 1024;

/** Full reset and erase of the scrollback: xterm's ctlseqs, RIS and ED 3. */
const reset = '\x1bc\x1b[3J';

/**
 * How long a command that has no output yet must have run before it is published, in ms. Codex says that a command
 * runs, and asks for permission then.
 */
const silentMs = 1_000;

/** Limit of an agent's words about a command that it did not run, in characters. */
const maxRefusal = 2_000;

interface DisplayedTerminalParts {
  readonly coordinator: Coordinator;
  readonly timers: Timers;
  readonly request: Omit<PublishRequest, 'program'>;
  readonly waitsForOutput: boolean;
}

/** What is known of a terminal before its command runs. */
type Announced = Pick<DisplayStep, 'title' | 'cwd' | 'size'>;

/**
 * A terminal that an agent runs itself and shows, published as a read-only session. Agents announce it before the person
 * has allowed its command, often without the command. It is published when the command has output or has ended, is
 * allowed, or has run for a while: a denied one never is.
 */
class DisplayedTerminal {
  readonly #coordinator: Coordinator;
  readonly #timers: Timers;
  readonly #request: PublishRequest;
  #announced: Announced = {};
  #isAsked = false;
  /** Publishes it when it has run for a while. */
  #silence: Disposable | null = null;
  #refusal: string | null = null;
  #publication: Promise<Publication> | null = null;
  /** Whether its command runs in a session of its own. */
  #isAdopted = false;
  readonly #waitsForOutput: boolean;
  #named: Promise<string>;
  #giveName: (name: string | Promise<string>) => void = () => {};
  #last: Promise<unknown> = Promise.resolve();
  #waitingBytes = 0;
  #omittedBytes = 0;
  #hasOutput = false;

  constructor({ coordinator, timers, request, waitsForOutput }: DisplayedTerminalParts) {
    this.#coordinator = coordinator;
    this.#timers = timers;
    this.#request = { ...request, program: '' };
    this.#waitsForOutput = waitsForOutput;
    this.#named = new Promise((resolve) => {
      this.#giveName = resolve;
    });
    ignored(this.#named, 'the agent works on without a published terminal');
  }

  /** Whether its command has run. */
  get hasBegun(): boolean {
    return this.#isAdopted || this.#publication !== null;
  }

  /** What the agent said of a command that it did not run; null if it may run or has run. */
  get refusal(): string | null {
    return this.#refusal;
  }

  /** Notes that its person is asked. */
  ask(): void {
    if (this.hasBegun) return;
    this.#isAsked = true;
    this.#endSilence();
  }

  /** Notes what its person has decided. */
  decide(isAllowed: boolean): void {
    this.#isAsked = false;
    if (this.hasBegun || this.#refusal !== null) return;
    if (!isAllowed) this.#refuse();
    else if (!this.#waitsForOutput) this.#publish();
  }

  /** Shows a session in which its command runs, in place of what the agent has said of it. */
  adopt(session: string): void {
    this.#then((publication) => publication.close());
    this.#remove();
    this.#isAdopted = true;
    this.#refusal = null;
    this.#endSilence();
    this.#giveName(session);
    this.#named = Promise.resolve(session);
  }

  /** Name of its session. Pending until its command runs. */
  get name(): Promise<string> {
    return this.#named;
  }

  /** Resolves when the session has all output so far. */
  async taken(): Promise<void> {
    await this.#last;
  }

  /** Queues a step. Does not wait for the coordinator. */
  take(step: DisplayStep): void {
    if (this.#isAdopted) return;
    if (!this.hasBegun) {
      const { title, newTitle, cwd, size } = step;
      this.#announced = { ...this.#announced, ...defined({ title: newTitle ?? title, cwd, size }) };
      if (!this.#begins(step)) return;
      this.#publish();
    } else {
      const { size, newTitle } = step;
      if (newTitle !== undefined) this.#then((publication) => publication.write(titled(newTitle)));
      if (size !== undefined) this.#then((publication) => publication.resize(size));
    }
    const { snapshot, output, exit } = step;
    if (snapshot !== undefined) this.#replace(snapshot);
    if (output !== undefined) this.#write(output);
    if (exit !== undefined) {
      if (exit !== null) this.#then((publication) => publication.exit(exit));
      // It is closed even if that failed: agents may name signals that do not exist here.
      this.#then((publication) => publication.close());
      // Without output and status, nothing shows that it has run: the agent's own check has denied it.
      if (step.hasFailed && exit === null && !this.#hasOutput) this.#remove();
    }
  }

  /** Whether a step begins it. Its command may run in silence, or was not run at all. */
  #begins(step: DisplayStep): boolean {
    const { isRunning = false, hasFailed = false, output, exit } = step;
    if (this.#refusal !== null) {
      if (output !== undefined) {
        this.#refusal = Buffer.from(output).toString('utf8').slice(0, maxRefusal);
      }
      return false;
    }
    if (hasRun(step) || (exit === null && !hasFailed)) return true;
    if (hasFailed) this.#refuse();
    else if (isRunning && !this.#isAsked && !this.#waitsForOutput) {
      this.#silence ??= this.#timers.schedule(silentMs, () => this.#publish());
    }
    return false;
  }

  #refuse(): void {
    this.#refusal = '';
    this.#endSilence();
  }

  #endSilence(): void {
    this.#silence?.dispose();
    this.#silence = null;
  }

  #remove(): void {
    this.#then(async ({ session: { name, id } }) => {
      await this.#coordinator.remove({ name, id });
    });
  }

  #publish(): void {
    this.#endSilence();
    const { title = '', cwd, size } = this.#announced;
    this.#publication = publish(this.#coordinator, {
      ...this.#request,
      program: title,
      // Only output of a terminal has a size.
      fromPipe: size === undefined,
      ...defined({ cwd, size }),
    });
    this.#giveName(this.#publication.then(({ session }) => session.name));
    this.#last = ignored(this.#publication, 'the agent works on without a published terminal');
  }

  async close(): Promise<void> {
    this.#endSilence();
    if (this.#isAdopted) return;
    if (!this.hasBegun) {
      this.#giveName(Promise.reject(new VtrError('SESSION_NOT_FOUND', 'its command never ran')));
      return;
    }
    this.#then((publication) => publication.close());
    await this.#last;
  }

  #replace(snapshot: Uint8Array): void {
    if (this.#hasOutput) this.#write(Buffer.from(reset));
    this.#write(snapshot);
  }

  #write(bytes: Uint8Array): void {
    this.#hasOutput = true;
    // A single larger write is allowed: the size of a frame is limited.
    if (this.#waitingBytes > 0 && this.#waitingBytes + bytes.length > maxWaitingBytes) {
      this.#omittedBytes += bytes.length;
      return;
    }
    this.#noteOmitted();
    this.#waitingBytes += bytes.length;
    this.#then(async (publication) => {
      this.#waitingBytes -= bytes.length;
      await publication.write(bytes);
    });
  }

  #noteOmitted(): void {
    if (this.#omittedBytes === 0) return;
    const note = Buffer.from(`\r\n[vtr omitted ${this.#omittedBytes} bytes]\r\n`);
    this.#omittedBytes = 0;
    this.#then((publication) => publication.write(note));
  }

  /** Runs steps in order. They fail silently once the session or the coordinator is gone. */
  #then(step: (publication: Publication) => Promise<void>): void {
    const publication = this.#publication;
    if (publication === null) return;
    this.#last = ignored(
      this.#last.then(async () => step(await publication)),
      'the session or the coordinator is gone',
    );
  }
}

/** Whether a step shows what its command has done. */
const hasRun = ({ output, snapshot, exit }: DisplayStep): boolean =>
  output !== undefined || snapshot !== undefined || exit != null;

/** Limit of a title, in characters. */
const maxTitle = 500;

/** Sets the title: xterm's ctlseqs, OSC 2. */
const titled = (title: string): Uint8Array =>
  Buffer.from(`\x1b]2;${cleanLine(title.replace(/\s+/g, ' '), maxTitle)}\x07`);

/** Publishes by the requested name, or by a generated one if that is taken or invalid. */
async function publish(coordinator: Coordinator, request: PublishRequest): Promise<Publication> {
  try {
    return await coordinator.publish(request);
  } catch (error) {
    const { code } = asVtrError(error);
    if (code !== 'SESSION_ALREADY_EXISTS' && code !== 'INVALID_NAME') throw error;
    const { name: _, ...unnamed } = request;
    return coordinator.publish(unnamed);
  }
}

/** An agent's update of a terminal of its own. */
export interface DisplayStep {
  readonly terminalId: string;
  /** The command that runs in it, or the title of the tool call. */
  readonly title?: string;
  /** A new title of the tool call; it alone does not begin a terminal. */
  readonly newTitle?: string;
  readonly cwd?: string;
  /** Present only if the output is a terminal's, not a pipe's. */
  readonly size?: Size;
  /** Whether it says that the command runs. Some agents say so before they ask whether it may. */
  readonly isRunning?: boolean;
  /** Whether it says that the tool call has failed. */
  readonly hasFailed?: boolean;
  /** Replaces all output so far. */
  readonly snapshot?: Uint8Array;
  readonly output?: Uint8Array;
  /** Present when it ends; null if the agent does not report how. */
  readonly exit?: ExitStatus | null;
}

type Json = Readonly<Record<string, unknown>>;

/**
 * Returns the steps in the `update` of a `session/update`: in `_meta`, as agents of version 1 send
 * them (`terminal_info`, `terminal_output` or `terminal_output_delta`, `terminal_exit`), or as in the
 * draft of version 2 (`terminal_update`, `terminal_output_chunk`).
 */
export function displaysIn(update: unknown): readonly DisplayStep[] {
  if (!isObject(update)) return [];
  switch (update['sessionUpdate']) {
    case 'terminal_update':
      return terminalUpdate(update);
    case 'terminal_output_chunk': {
      const output = fromBase64(update['data']);
      return steps(update['terminalId'], output && { output });
    }
    default: {
      const inMeta = isObject(update['_meta']) ? metaSteps(update, update['_meta']) : [];
      return inMeta.length > 0
        ? inMeta
        : steps(update['toolCallId'], ofToolCall(update['title'], update['status']));
    }
  }
}

/** What a tool call says of the terminal that has its id; undefined if nothing. */
function ofToolCall(title: unknown, status: unknown): Omit<DisplayStep, 'terminalId'> | undefined {
  const step = { ...text('newTitle', title), ...progress(status) };
  return Object.keys(step).length === 0 ? undefined : step;
}

function progress(status: unknown): Pick<DisplayStep, 'isRunning' | 'hasFailed'> {
  if (status === 'in_progress') return { isRunning: true };
  return status === 'failed' ? { hasFailed: true } : {};
}

function terminalUpdate(update: Json): readonly DisplayStep[] {
  const { terminalId, command, cwd, output, size, exitStatus } = update;
  // Null clears it.
  const snapshot =
    output === null ? new Uint8Array() : isObject(output) ? fromBase64(output['data']) : undefined;
  return steps(terminalId, {
    ...text('title', command),
    ...text('cwd', cwd),
    ...(isObject(size) ? sizeField(size['cols'], size['rows']) : {}),
    ...defined({ snapshot }),
    // In this draft, a terminal exists when its command runs.
    isRunning: true,
    ...(isObject(exitStatus) ? { exit: exitOf(exitStatus['exitCode'], exitStatus['signal']) } : {}),
  });
}

function metaSteps(update: Json, meta: Json): readonly DisplayStep[] {
  const { terminal_info: info, terminal_exit: exit } = meta;
  const chunks = [meta['terminal_output'], meta['terminal_output_delta']].filter(isObject);
  const idOf = (part: Json) => part['terminal_id'] ?? update['toolCallId'];
  return [
    ...(isObject(info)
      ? steps(idOf(info), {
          ...text('title', update['title']),
          ...text('cwd', info['cwd']),
          ...progress(update['status']),
        })
      : []),
    ...chunks.flatMap((chunk) => {
      const { data } = chunk;
      return steps(idOf(chunk), typeof data === 'string' && { output: Buffer.from(data) });
    }),
    ...(isObject(exit)
      ? steps(idOf(exit), {
          ...progress(update['status']),
          exit: exitOf(exit['exit_code'], exit['signal']),
        })
      : []),
  ];
}

function steps(
  terminalId: unknown,
  step: Omit<DisplayStep, 'terminalId'> | false | undefined,
): readonly DisplayStep[] {
  return typeof terminalId === 'string' && step ? [{ terminalId, ...step }] : [];
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const text = <Name extends string>(name: Name, value: unknown) =>
  (typeof value === 'string' ? { [name]: value } : {}) as { [Field in Name]?: string };

function sizeField(cols: unknown, rows: unknown): { size?: Size } {
  if (typeof cols !== 'number' || typeof rows !== 'number') return {};
  return isSize({ cols, rows }) ? { size: { cols, rows } } : {};
}

const fromBase64 = (data: unknown): Uint8Array | undefined =>
  typeof data === 'string' ? Buffer.from(data, 'base64') : undefined;

/** A code outside 0 to 255, from another system, becomes 255. */
function exitOf(code: unknown, signal: unknown): ExitStatus | null {
  if (typeof signal === 'string' && signal !== '') {
    return { code: null, signal: signal.startsWith('SIG') ? signal : `SIG${signal}` };
  }
  if (typeof code !== 'number') return null;
  return { code: Number.isInteger(code) && code >= 0 && code < 256 ? code : 255, signal: null };
}
