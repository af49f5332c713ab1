import { type Clock, type Disposable, defined, toDisposable } from '#base';
import {
  type AgentCommand,
  type AgentInfo,
  type CommandListRequest,
  checkScrollbackLines,
  checkWaitingBytes,
  type SubscribeRequest,
  type Subscription,
  subscribedCommands,
} from '#model';
import type { SecretRule } from '#recording';
import type { LeftSession, Session } from '#session';
import {
  type AgentSource,
  EventFeed,
  type KnownResize,
  type KnownResizes,
  markOffset,
  missedEvents,
} from '#watch';
import { RedactedEvents, type RedactedSource } from './redacting/redacted-streams.ts';
import { redactedTexts } from './redacting/redaction.ts';
import { CommandFeed } from './watching/command-feed.ts';

export interface SubscribingOptions {
  readonly clock: Clock;
  readonly resizes: Resizes;
  /** Begins a use of the session. */
  readonly use: () => Disposable;
  /** The coding agent of the session. */
  readonly agent: AgentSource;
  /** Lists the commands that coding agents ran, the oldest first. */
  readonly agentCommands: () => readonly AgentCommand[];
  /** Finds the secrets that are replaced; null if none are. */
  readonly rules: readonly SecretRule[] | null;
}

/**
 * Subscribes to the events of a session.
 *
 * @throws VtrError INVALID_MARK, INVALID_ARGUMENT
 */
export async function subscribe(
  session: Session,
  request: SubscribeRequest,
  { clock, resizes, use, agent, agentCommands, rules }: SubscribingOptions,
): Promise<Subscription> {
  const { view } = session;
  const commands = subscribedCommands(request);
  if (commands !== null) {
    const plain = <T extends object>(answer: T): T =>
      rules === null ? answer : redactedTexts(answer, rules);
    const parts = {
      session,
      list: (which: CommandListRequest) => plain(session.commands(which)),
      agentCommands: () => plain({ all: agentCommands() }).all,
      onAgentChange: (listener: () => void) => agent.onChange(listener),
      use,
    };
    return new CommandFeed(parts, clock.wallMs(), commands);
  }
  const { since, scrollbackLines, maxWaitingBytes } = request;
  const source: RedactedSource = {
    snapshotting: (lines) => view.snapshotting(lines),
    terminal: view.terminal,
    exitStatus: view.exitStatus,
    onEvent: (listener) => {
      const tell = agentEvents(agent, (info) => {
        const { revision } = view.terminal;
        listener({ type: 'agent', agent: info, revision, atMs: clock.wallMs() });
      });
      const parts = [view.onEvent(listener), agent.onChange(tell), use()];
      tell();
      return toDisposable(() => {
        for (const part of parts) part.dispose();
      });
    },
  };
  const bounds = {
    ...(scrollbackLines === undefined
      ? {}
      : { scrollbackLines: checkScrollbackLines(scrollbackLines) }),
    ...(maxWaitingBytes === undefined
      ? {}
      : { maxWaitingBytes: checkWaitingBytes(maxWaitingBytes) }),
  };
  // A secret may begin before the mark: starting there would show the rest of it.
  if (rules !== null) return new RedactedEvents(source, rules, { clock, ...bounds });
  if (since === undefined) return new EventFeed(source, { clock, ...bounds });
  return view.withKeptOutput(markOffset(view, since), () => {
    const missed = missedEvents(view, since, resizes.of(session), clock.wallMs());
    return new EventFeed(source, { clock, ...bounds, ...defined({ missed }) });
  });
}

/** Returns a function that tells of the agent of a session, if it has changed since it was told. */
function agentEvents(source: AgentSource, onChange: (agent: AgentInfo | null) => void): () => void {
  // Evidence changes all the time while an agent works.
  const shown = (agent: AgentInfo | null) =>
    JSON.stringify(agent && { ...agent, evidence: [], sinceMs: 0 });
  let text = shown(null);
  return () => {
    const agent = source.info();
    if (shown(agent) === text) return;
    text = shown(agent);
    onChange(agent);
  };
}

/** The most resizes of a session that are kept. */
const maxKnown = 32;

/** The last resizes of sessions. A subscription from a mark cannot read them from the output. */
export class Resizes {
  readonly #resizes = new WeakMap<Session, KnownResizes>();

  /** Continues with the resizes of a session that another coordinator left. */
  restore(session: Session, { facts }: LeftSession): void {
    const resizes = checked(facts.coordinator.resizes);
    const { cols, rows } = session.info().size;
    // A resize after the last save is replayed, but its revision is unknown.
    const isSame = facts.size.cols === cols && facts.size.rows === rows;
    if (resizes !== null && isSame) this.#resizes.set(session, resizes);
  }

  of(session: Session): KnownResizes {
    return this.#resizes.get(session) ?? { after: session.revision, resizes: [] };
  }

  /** @param onResize called after each */
  begin(session: Session, onResize: () => void): void {
    if (!this.#resizes.has(session)) this.#resizes.set(session, this.of(session));
    session.view.onEvent((event) => {
      if (event.type !== 'resize') return;
      const { after, resizes } = this.of(session);
      const all = [...resizes, { ...event, offset: session.view.outputEnd }];
      const dropped = all.at(-maxKnown - 1);
      const latest = { after: dropped?.revision ?? after, resizes: all.slice(-maxKnown) };
      this.#resizes.set(session, latest);
      onResize();
    });
  }
}

/** Returns null if the saved value is damaged. */
function checked(saved: unknown): KnownResizes | null {
  const { after, resizes } = (saved ?? {}) as Partial<KnownResizes>;
  if (typeof after !== 'number' || !Array.isArray(resizes)) return null;
  const isNumbers = (...values: unknown[]) => values.every((each) => typeof each === 'number');
  const isResize = (each: Partial<KnownResize> | null) =>
    each?.type === 'resize' &&
    isNumbers(each.revision, each.atMs, each.offset, each.size?.cols, each.size?.rows);
  return resizes.every(isResize) ? { after, resizes } : null;
}
