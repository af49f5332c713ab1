import type { Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import type { Coordinator } from '#model';
import { type TerminalOptions, TerminalProvider } from '#wire/acp';
import { Conversations } from './conversations.ts';
import { DisplayedTerminals } from './displayed/displayed-terminals.ts';
import type { StdioServer } from './editor-messages.ts';
import { EmbeddedTerminals } from './embedded/embedded-terminals.ts';
import { type Frame, type FrameWriter, readFrames } from './frames/frames.ts';
import { errorFrame, type Message, messageIn } from './frames/message.ts';

import { FromAgent } from './from-agent.ts';
import { FromEditor } from './from-editor.ts';
import { NotJson } from './json/spans.ts';
import { TerminalRequests } from './terminal-requests.ts';

/** Of a frame, without its line end: what the SDK of the protocol takes too. */
export const maxFrameBytes = 32 * 1024 * 1024;

const invalidRequest = -32600;

/** A coordinator that says nothing for so long at the end is not waited for, in ms. */
const silenceMs = 3_000;

export interface Peer {
  readonly input: Readable;
  readonly output: FrameWriter;
}

/** Each resolves when its side says no more. */
export interface Passing {
  readonly fromEditor: Promise<void>;
  readonly fromAgent: Promise<void>;
}

export interface AcpProxyOptions {
  readonly coordinator: Coordinator;
  readonly terminals: Omit<TerminalOptions, 'cwd'>;
  /** Leave terminals to an editor that has them. */
  readonly passthrough: boolean;
  /** Given to the agent for each conversation; none where null. */
  readonly server: StdioServer | null;
  /** What the agent is called. */
  readonly agentName: string;
  /** How long what an agent showed stays after its end, in ms. */
  readonly keepMs: number;
  readonly log: (level: 'error' | 'info', line: string) => void;
}

/**
 * Stands between an editor and an agent: gives the agent terminals, and passes all else on, byte for
 * byte and in its order. A side is read as fast as the other one reads.
 */
export class AcpProxy {
  readonly #options: AcpProxyOptions;
  readonly #conversations = new Conversations();
  readonly #provider: TerminalProvider;
  readonly #displayed: DisplayedTerminals;
  readonly #fromEditor: FromEditor;
  #embedded: EmbeddedTerminals | null = null;

  /** @throws VtrError INVALID_ARGUMENT for options of terminals that are none */
  constructor(options: AcpProxyOptions) {
    const { coordinator, passthrough, server, agentName, keepMs } = options;
    const conversations = this.#conversations;
    this.#options = options;
    this.#provider = new TerminalProvider(coordinator, {
      ...options.terminals,
      cwd: (conversationId) => conversations.cwd(conversationId),
    });
    this.#displayed = new DisplayedTerminals({
      ...{ coordinator, by: agentName, keepMs },
      onBegun: (conversationId, id, terminal) => {
        // The agent was told that they are shown, so its editor must not miss them.
        if (!this.#fromEditor.showsDisplays) this.#embedded?.add(conversationId, id, terminal);
      },
    });
    const onEnded = (conversationId: string) => {
      conversations.delete(conversationId);
      this.#provider
        .releaseConversation(conversationId)
        .catch((error) => options.log('error', String(error)));
    };
    this.#fromEditor = new FromEditor({ passthrough, server, conversations, onEnded });
  }

  /** Begins, once. */
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
      ...{ editor: editor.output, requests, embedded },
      ...{ displayed: this.#displayed, conversations: this.#conversations },
      leavesTerminals: () => this.#fromEditor.leavesTerminals,
    });
    const translated = (frame: Uint8Array, message: Message) =>
      agent.output.write(this.#fromEditor.translate(frame, message));
    return {
      fromEditor: this.#pass(editor, agent.output, async (...frame) => translated(...frame)),
      fromAgent: this.#pass(agent, editor.output, (...frame) => fromAgent.take(...frame)),
    };
  }

  /**
   * Ends all terminals. Resolves when nothing of them runs, or when the coordinator does not answer:
   * it ends them when it hears that we are gone.
   */
  async close(): Promise<void> {
    this.#embedded?.dispose();
    const closed = Promise.all([this.#provider.close(), this.#displayed.close()]);
    await Promise.race([closed, this.#silence()]);
  }

  /** Resolves when the coordinator is silent, and else never. */
  async #silence(): Promise<void> {
    const { coordinator, log } = this.#options;
    const answered = coordinator.list().then(
      () => true,
      () => true,
    );
    if (await Promise.race([answered, setTimeout(silenceMs, false, { ref: false })])) return never;
    log('error', 'the coordinator does not answer; terminals end when it does');
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
      // What is no message is for the other side to say.
      if (message === null) await receiver.write(frame.bytes);
      else await unlessNotJson(take(frame.bytes, message), () => receiver.write(frame.bytes));
    }
  }

  /** Whoever waits for an answer gets one: the sender to a request, the receiver to its own. */
  async #refuse(
    { bytes }: Frame,
    size: number,
    sender: FrameWriter,
    receiver: FrameWriter,
  ): Promise<void> {
    const { method = null, id = null, cutMember = null } = messageIn(bytes, true) ?? {};
    const message = `a message of ${size} bytes was not passed on: at most ${maxFrameBytes} are`;
    this.#options.log('error', `${message} (${method ?? 'an answer'}, id ${id ?? 'unknown'})`);
    const isRequest = method !== null || cutMember === 'params';
    const isAnswer = !isRequest && id !== null && (cutMember === 'result' || cutMember === 'error');
    // Both sides count: what is neither may be anybody's.
    const told = isRequest || isAnswer ? id : null;
    await (isAnswer ? receiver : sender).write(errorFrame(told, { code: invalidRequest, message }));
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
