import {
  type AgentKind,
  agentOf,
  agentPlace,
  conversationInArguments,
  isConversationId,
  type ResumeWay,
  resumedCommand,
  resumedLine,
} from '#agents';
import { defined, quoted } from '#base';
import { type ResumedAgent, type ReviveRequest, type SessionInfo, VtrError } from '#model';
import type { Session } from '#session';
import type { Registry } from '../registry.ts';
import type { KeptAgent, SessionAgents } from '../watching/session-agents.ts';

/** Where the conversations of a kind of agents are looked for. */
export interface ConversationSearch {
  readonly kind: AgentKind;
  /** The directory in which the agent was started. */
  readonly directory: string;
  /** Conversations that changed between these times, in ms since 1970. */
  readonly fromMs: number;
  readonly toMs: number;
}

/** Returns the ids of the conversations that the files of an agent show; null if its kind has no such files. */
export type FindConversations = (search: ConversationSearch) => Promise<readonly string[] | null>;

/** How the agent of a session is started again. */
export interface ResumePlan {
  readonly program: string;
  readonly args: readonly string[];
  readonly resumed: Omit<ResumedAgent, 'line'>;
  /** A line for the shell in which it ran, to be typed at its prompt. */
  readonly line?: string;
}

export interface ResumingParts {
  readonly registry: Registry;
  readonly agents: Pick<SessionAgents, 'lastAgent'>;
  readonly kinds: () => Promise<readonly AgentKind[]>;
  readonly findConversations: FindConversations;
}

/** A kind that can go on with a conversation. */
type ResumingKind = AgentKind & Required<Pick<AgentKind, 'resume'>>;

/** Decides how agents are started again, and sees to it that no conversation is opened twice. */
export class Resuming {
  readonly #parts: ResumingParts;
  /** The conversations of sessions that are being started. */
  readonly #opening = new Set<string>();
  /** See `CoordinatorFacts.resumeLine`. */
  readonly lines = new WeakMap<Session, string>();

  constructor(parts: ResumingParts) {
    this.#parts = parts;
  }

  /**
   * Calls `start` with the plan for the agent of a session; with null if it has none. Until it resolves, no other
   * session gets the conversation.
   *
   * @throws VtrError CONVERSATION_UNKNOWN, SESSION_ALREADY_EXISTS, INVALID_ARGUMENT
   */
  async during<T>(
    session: Session,
    request: ReviveRequest,
    start: (plan: ResumePlan | null) => Promise<T>,
  ): Promise<T> {
    const plan = await this.#plan(session, request);
    const { kind, conversation } = plan?.resumed ?? {};
    if (conversation === undefined || request.forkAs !== undefined) return start(plan);
    const key = `${kind} ${conversation}`;
    this.#checkFree(session, key, conversation);
    this.#opening.add(key);
    try {
      return await start(plan);
    } finally {
      this.#opening.delete(key);
    }
  }

  /** Nothing is awaited between this and the note that it is being opened. */
  #checkFree({ name, id }: Session, key: string, conversation: string): void {
    const { registry, agents } = this.#parts;
    const holder = registry.list().find((other) => {
      const agent = other.id === id || other.exitStatus !== null ? null : agents.lastAgent(other);
      return agent !== null && `${agent.kind} ${agent.conversation}` === key;
    });
    if (holder === undefined && !this.#opening.has(key)) return;
    const where = holder === undefined ? 'another session that is being started' : holder.name;
    throw new VtrError(
      'SESSION_ALREADY_EXISTS',
      `session ${name}: conversation ${conversation} is open in ${where}`,
      { details: { name, conversation } },
    );
  }

  async #plan(session: Session, request: ReviveRequest): Promise<ResumePlan | null> {
    if (request.program !== undefined) return null;
    const { name, facts } = session;
    const words = [facts.program, ...facts.args];
    const kinds = await this.#parts.kinds();
    const agent = this.#parts.agents.lastAgent(session);
    const kind =
      agent === null ? agentOf(kinds, [words]) : kinds.find((each) => each.kind === agent.kind);
    if (kind == null) {
      if (request.conversation === undefined && request.forkAs === undefined) return null;
      const message = `session ${name} had no coding agent that vtr knows`;
      throw new VtrError('CONVERSATION_UNKNOWN', message);
    }
    if (!canResume(kind)) return withoutResuming(session, kind, request, words);
    const way: ResumeWay =
      request.conversation === '' ? 'none' : request.forkAs === undefined ? 'resume' : 'fork';
    if (way === 'fork' && kind.resume.fork === undefined) {
      throw unknown(`session ${name}: ${kind.name} cannot copy a conversation`);
    }
    const conversation =
      way === 'none' ? null : await this.#conversation(session, kind, agent, request, words);
    if (conversation === null && way === 'fork') {
      throw unknown(`session ${name} has no conversation yet`);
    }
    const how = [conversation === null ? 'none' : way, conversation ?? ''] as const;
    const resumed = { kind: kind.kind, ...defined({ conversation }) };
    const command = resumedCommand(kind, words, ...how);
    if (command !== null) {
      const { program, args, leftOut } = command;
      return { program, args, resumed: { ...resumed, leftOut } };
    }
    const line = lineInShell(session, kind, words, how);
    if (line === null) {
      throw unknown(
        `session ${name}: the command line that started ${kind.name} cannot be repeated${wayOut(session, kind, conversation)}`,
      );
    }
    return { program: facts.program, args: facts.args, line, resumed: { ...resumed, leftOut: [] } };
  }

  /** Returns the conversation of an agent; null if it has not begun one. */
  async #conversation(
    session: Session,
    kind: ResumingKind,
    agent: KeptAgent | null,
    { conversation: wish }: ReviveRequest,
    words: readonly string[],
  ): Promise<string | null> {
    const { name, facts } = session;
    if (wish !== undefined) {
      if (isConversationId(wish)) return wish;
      const message = `conversation ${quoted(wish)} is not allowed; use letters, digits and . _ : @ -`;
      throw new VtrError('INVALID_ARGUMENT', message);
    }
    if (agent?.reported === true && agent.conversation !== undefined) return agent.conversation;
    const before = agent?.conversation ?? conversationInArguments(kind, words);
    const result = isElsewhere(words.slice(0, agentPlace(kind, words) ?? 0))
      ? null
      : await this.#parts.findConversations({
          kind,
          directory: session.lastDirectory ?? facts.cwd,
          fromMs: facts.createdAtMs,
          toMs: facts.exitedAtMs ?? Number.POSITIVE_INFINITY,
        });
    const [only = null, ...others] = result ?? [];
    if (others.length > 0) {
      const ids = [only, ...others].join(', ');
      throw unknown(
        `session ${name}: ${kind.name} has ${others.length + 1} conversations of its directory and time (${ids}); choose one with --conversation ID`,
      );
    }
    if (only !== null || before !== null) return only ?? before;
    if (result !== null && !agent?.worked) return null;
    const none =
      result === null
        ? 'has reported no conversation'
        : 'has no conversation of its directory and time';
    throw unknown(
      `session ${name}: ${kind.name} ${none}; give it with --conversation ID, or begin another one with --conversation none`,
    );
  }
}

const unknown = (message: string): VtrError => new VtrError('CONVERSATION_UNKNOWN', message);

const canResume = (kind: AgentKind): kind is ResumingKind => kind.resume !== undefined;

/** Programs that run another one where the files of its conversations are not those of this user and machine. */
const isElsewhere = (before: readonly string[]): boolean =>
  before.some((word) =>
    /(?:^|\/)(?:ssh|mosh|docker|podman|kubectl|devcontainer|sudo|doas|systemd-run)$/u.test(word),
  );

/** @returns null: it is started as before @throws VtrError if that might repeat a prompt */
function withoutResuming(
  { name }: Session,
  kind: AgentKind,
  { forkAs, conversation = '' }: ReviveRequest,
  words: readonly string[],
): null {
  const isAsked = forkAs !== undefined || conversation !== '';
  if (!isAsked && !words.slice(1).some((word) => /\s/u.test(word))) return null;
  throw unknown(
    `session ${name}: vtr does not know how ${kind.name} goes on with a conversation; start it with vtr revive ${name} -- PROGRAM ARGS...`,
  );
}

/** Returns the line that starts an agent in the shell in which it ran; null if it is not known. */
function lineInShell(
  session: Session,
  kind: ResumingKind,
  words: readonly string[],
  how: readonly [ResumeWay, string],
): string | null {
  const isShell = /(?:^|\/)(?:sh|bash|zsh|dash|fish)$/u.test(words[0] ?? '');
  if (!isShell || words.slice(1).some((word) => !word.startsWith('-'))) return null;
  const { commands } = session.commands({ last: 1 });
  const last = commands.at(-1);
  // The output of any program can contain marks that the shell did not make.
  const shown = last === undefined || last.unverified ? null : last.line;
  const typed = session.facts.coordinator.resumeLine ?? shown;
  const line = typed === null ? null : resumedLine(kind, typed, ...how);
  return line ?? resumedLine(kind, kind.start.command.join(' '), ...how);
}

function wayOut(session: Session, kind: ResumingKind, conversation: string | null): string {
  if (conversation === null) return '';
  const words = kind.resume.command.map((word) => word.replace('{id}', conversation));
  return `; start it with vtr revive ${session.name} -- ${words.join(' ')}`;
}

/** The facts of a session that goes on with a conversation. */
export const keptOf = ({ resumed: { kind, conversation } }: ResumePlan): KeptAgent => ({
  kind,
  ...defined({ conversation }),
});

/** @throws VtrError SESSION_ALREADY_EXISTS if another session has continued it */
export function checkNotContinued({ name, id }: SessionInfo, registry: Registry): void {
  const heir = registry.list().find(({ facts }) => facts.coordinator.continues === id);
  if (heir === undefined) return;
  throw new VtrError('SESSION_ALREADY_EXISTS', `session ${heir.name} continues ${name}`, {
    details: { name: heir.name },
  });
}
