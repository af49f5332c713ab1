import type { Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { ownTimers, type Timers } from '#base';
import type { Coordinator } from '#model';
import { type TerminalOptions, TerminalProvider } from '#wire/acp';
import type { CommandSession } from './agent-shell.ts';
import { DisplayedTerminals } from './displayed-terminals.ts';
import { Conversations, FromAgent, FromEditor } from './editor-and-agent.ts';
import type { StdioServer } from './editor-messages.ts';
import { EmbeddedTerminals } from './embedded-terminals.ts';
import {
  errorFrame,
  type Frame,
  type FrameWriter,
  type Message,
  messageIn,
  readFrames,
} from './frames.ts';

import { NotJson } from './json-spans.ts';
import { Permissions } from './permissions.ts';
import { TerminalRequests } from './terminal-requests.ts';
import { type CommandCall, ToolCommands } from './tool-commands.ts';

/** Limit of a frame, without its line end; the same as in the protocol's SDK. */
export const maxFrameBytes = 32 * 1024 * 1024;

const invalidRequest = -32600;

/** Time after which a silent coordinator is not waited for at the end, in ms. */
const silenceMs = 3_000;

export interface Peer {
  readonly input: Readable;
  readonly output: FrameWriter;
}

/** Each resolves at the end of its side's messages. */
export interface Passing {
  readonly fromEditor: Promise<void>;
  readonly fromAgent: Promise<void>;
}

export interface AcpProxyOptions {
  readonly coordinator: Coordinator;
  readonly terminals: Omit<TerminalOptions, 'cwd'>;
  /** Whether an editor that has terminals keeps them. */
  readonly passthrough: boolean;
  /** Whether the agent's own commands run in sessions; see `commandStarted`. Default: false. */
  readonly runsCommands?: boolean;
  /** MCP server that the agent gets for each conversation; null for none. */
  readonly server: StdioServer | null;
  /** Name of the agent, for people. */
  readonly agentName: string;
  /** Time that terminals the agent showed stay after their end, in ms. */
  readonly keepMs: number;
  readonly log: (level: 'error' | 'info', line: string) => void;
  readonly timers?: Timers;
}

/**
 * A proxy between an editor and an agent. It gives the agent terminals and passes all other messages
 * on, unchanged and in order. It reads from a side only as fast as the other side reads.
 */
export class AcpProxy {
  readonly #options: AcpProxyOptions;
  readonly #conversations = new Conversations();
  readonly #permissions = new Permissions();
  readonly #commands: ToolCommands | null;
  readonly #provider: TerminalProvider;
  readonly #displayed: DisplayedTerminals;
  readonly #fromEditor: FromEditor;
  #embedded: EmbeddedTerminals | null = null;

  /** @throws VtrError INVALID_ARGUMENT for invalid terminal options */
  constructor(options: AcpProxyOptions) {
    const { coordinator, passthrough, runsCommands = false, server, agentName, keepMs } = options;
    const conversations = this.#conversations;
    this.#options = options;
    this.#commands = runsCommands
      ? new ToolCommands((call, session) => this.#showSession(call, session))
      : null;
    this.#provider = new TerminalProvider(coordinator, {
      ...options.terminals,
      cwd: (conversationId) => conversations.cwd(conversationId),
    });
    this.#displayed = new DisplayedTerminals({
      coordinator,
      by: agentName,
      keepMs,
      timers: options.timers ?? ownTimers,
      waitsForOutput: runsCommands,
      onBegun: (conversationId, id, terminal) => {
        // The agent was told that its client shows terminals, so the editor must get them as text.
        if (!this.#fromEditor.showsDisplays) this.#embedded?.add(conversationId, id, terminal);
      },
    });
    const onEnded = (conversationId: string) => {
      conversations.delete(conversationId);
      this.#provider
        .releaseConversation(conversationId)
        .catch((error) => options.log('error', String(error)));
    };
    this.#fromEditor = new FromEditor({
      passthrough,
      server,
      conversations,
      permissions: this.#permissions,
      displayed: this.#displayed,
      onEnded,
    });
  }

  /** Connects the two sides. Call once. */
  connect(editor: Peer, agent: Peer): Passing {
    const write = (frame: Uint8Array | string) => editor.output.write(frame);
    const embedded = new EmbeddedTerminals({ coordinator: this.#options.coordinator, write });
    this.#embedded = embedded;
    const requests = new TerminalRequests({
      provider: this.#provider,
      agent: agent.output,
      onCreated: (conversationId, name) => embedded.add(conversationId, name),
      onEnded: (conversationId, name) => embedded.settle(conversationId, name),
    });
    const fromAgent = new FromAgent({
      editor: editor.output,
      requests,
      embedded,
      displayed: this.#displayed,
      commands: this.#commands,
      conversations: this.#conversations,
      permissions: this.#permissions,
      leavesTerminals: () => this.#fromEditor.leavesTerminals,
    });
    const translated = (frame: Uint8Array, message: Message) =>
      agent.output.write(this.#fromEditor.translate(frame, message));
    return {
      fromEditor: this.#pass(editor, agent.output, async (...frame) => translated(...frame)),
      fromAgent: this.#pass(agent, editor.output, (...frame) => fromAgent.take(...frame)),
    };
  }

  /** Must be called when a session begins to run a command of the agent's shell: its tool call shows the session. */
  commandStarted(command: string, { name }: CommandSession): void {
    this.#commands?.started(command, name);
  }

  /** Must be called when a session of the agent's shell has ended. */
  commandEnded({ name }: CommandSession): void {
    this.#commands?.ended(name);
  }

  #showSession(call: CommandCall, session: string): void {
    if (this.#displayed.adopt(call, session)) return;
    if (!this.#fromEditor.leavesTerminals) this.#embedded?.link(call, session);
  }

  /**
   * Ends all terminals. Resolves when no program runs, or when the coordinator does not answer; it then
   * ends them when it notices the lost connection.
   */
  async close(): Promise<void> {
    this.#embedded?.dispose();
    const closed = Promise.all([this.#provider.close(), this.#displayed.close()]);
    await Promise.race([closed, this.#silence()]);
  }

  /** Resolves if the coordinator does not answer; otherwise never. */
  async #silence(): Promise<void> {
    const { coordinator, log } = this.#options;
    const answered = coordinator.list().then(
      () => true,
      () => true,
    );
    if (await Promise.race([answered, setTimeout(silenceMs, false, { ref: false })])) return never;
    log('error', 'the coordinator does not answer; its terminals end when it does');
  }

  async #pass(
    sender: Peer,
    receiver: FrameWriter,
    take: (frame: Uint8Array, message: Message) => Promise<void>,
  ): Promise<void> {
    for await (const frame of readFrames(sender.input, maxFrameBytes)) {
      if (frame.tooLongBytes !== null) {
        await this.#refuse(frame, frame.tooLongBytes, sender.output, receiver);
        continue;
      }
      const message = messageIn(frame.bytes);
      // The other side handles an invalid message.
      if (message === null) await receiver.write(frame.bytes);
      else await unlessNotJson(take(frame.bytes, message), () => receiver.write(frame.bytes));
    }
  }

  /** Answers in place of a frame that is too large: the sender for a request, the receiver for an answer. */
  async #refuse(
    { bytes }: Frame,
    size: number,
    sender: FrameWriter,
    receiver: FrameWriter,
  ): Promise<void> {
    const { method = null, id = null, cutMember = null } = messageIn(bytes, true) ?? {};
    const message = `dropped a message of ${size} bytes; the limit is ${maxFrameBytes}`;
    this.#options.log('error', `${message} (${method ?? 'an answer'}, id ${id ?? 'unknown'})`);
    const isRequest = method !== null || cutMember === 'params';
    const isAnswer = !isRequest && id !== null && (cutMember === 'result' || cutMember === 'error');
    // Without a known kind the id is omitted: both sides use the same ids.
    const answeredId = isRequest || isAnswer ? id : null;
    await (isAnswer ? receiver : sender).write(
      errorFrame(answeredId, { code: invalidRequest, message }),
    );
  }
}

const never = new Promise<never>(() => {});

async function unlessNotJson(taken: Promise<void>, otherwise: () => Promise<void>): Promise<void> {
  try {
    await taken;
  } catch (error) {
    if (!(error instanceof NotJson)) throw error;
    await otherwise();
  }
}
