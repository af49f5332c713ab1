import type { AgentKind } from '#agents';
import { type Clock, defined, ignored, nearMisses, quoted } from '#base';
import {
  type Publication,
  type PublishRequest,
  type ResumedAgent,
  type RevivedSession,
  type ReviveRequest,
  type SessionRef,
  type SpawnedSession,
  type SpawnRequest,
  startMark,
  VtrError,
  type WaitRequest,
  type WaitResult,
} from '#model';
import { contentHash, type Session, type SessionFactory, spawnContent } from '#session';
import { checkWait } from '#watch';
import type { Drivers } from './driving/drivers.ts';
import type { Leases } from './lifetimes/leases.ts';
import type { Lifetimes } from './lifetimes/lifetimes.ts';
import type { LimitWatches } from './lifetimes/limit-watch.ts';
import type { Recorders } from './recording/recorders.ts';
import type { Redactions } from './redacting/redactions.ts';
import { inSession, type Registry } from './registry.ts';
import type { Keeping } from './saving/keeping.ts';
import type { Saver } from './saving/saver.ts';
import type { SessionCalls } from './session-calls.ts';
import type { SessionEnds } from './session-ends.ts';
import type { SessionInfos } from './session-infos.ts';
import type { SessionInputs } from './session-inputs.ts';
import type { ResumePlan, Resuming } from './starting/resuming.ts';
import { forkSession, reviveSession } from './starting/reviving.ts';
import {
  LocalPublication,
  publishSession,
  type ReusedOrMade,
  reuseOrSpawn,
  type SpawnIds,
  spawnSession,
} from './starting/spawning.ts';
import type { Resizes } from './subscribing.ts';
import type { SessionAgents } from './watching/session-agents.ts';

/** The time in which a shell that was started again must show its prompt, in ms. */
const promptMs = 20_000;

export interface SessionStartsParts {
  readonly agents: SessionAgents;
  readonly agentKinds: () => Promise<readonly AgentKind[]>;
  readonly calls: SessionCalls;
  readonly clock: Clock;
  readonly drivers: Drivers;
  readonly ends: SessionEnds;
  readonly factory: SessionFactory;
  readonly infos: SessionInfos;
  readonly inputs: SessionInputs;
  readonly keeping: Keeping;
  readonly leases: Leases;
  readonly lifetimes: Lifetimes;
  readonly limits: LimitWatches;
  /** The limit of running sessions. */
  readonly maxSessions: number;
  readonly recorders: Recorders;
  readonly redactions: Redactions;
  readonly registry: Registry;
  readonly resizes: Resizes;
  readonly resuming: Resuming;
  readonly saver: Saver;
  readonly spawned: SpawnIds;
}

/** Starts sessions: new ones, published ones, and those that continue an ended one. */
export class SessionStarts {
  readonly #parts: SessionStartsParts;

  constructor(parts: SessionStartsParts) {
    this.#parts = parts;
  }

  /** Contract: `Coordinator.spawn`. */
  async spawn(request: SpawnRequest): Promise<SpawnedSession> {
    const { infos, leases, spawned } = this.#parts;
    const { lease, wait } = request;
    if (wait !== undefined) checkWait(wait);
    if (request.agent !== undefined) return this.spawn(await this.#asAgent(request));
    const content = () => spawnContent(request);
    const before = spawned.find(request.inputId, content);
    if (before !== null) return this.#repeat(await before, request);
    if (lease !== undefined) leases.check(lease);
    const { session, reused } = await this.#once(request, content, this.#make(request));
    const waiting = this.#waitFromStart(session, wait);
    if (reused) await this.#reuse(session, request);
    else await this.#begin(session, request);
    const end = waiting === undefined ? {} : { wait: await waiting };
    return { ...infos.of(session), ...defined({ reused: reused || undefined }), ...end };
  }

  /**
   * Returns the request for a program that is an agent: with the label, and with the command of its kind.
   *
   * @throws VtrError INVALID_ARGUMENT for a kind that is not known
   */
  async #asAgent({ agent = '', ...request }: SpawnRequest): Promise<SpawnRequest> {
    const kinds = await this.#parts.agentKinds();
    const kind = kinds.find((each) => each.kind === agent);
    if (kind === undefined) {
      const names = kinds.map((each) => each.kind);
      const [near] = nearMisses(agent.toLowerCase(), names);
      const hint =
        near === undefined ? `the kinds are ${names.join(', ')}` : `did you mean ${near}?`;
      throw new VtrError('INVALID_ARGUMENT', `no kind of agent ${quoted(agent)}: ${hint}`);
    }
    const labelled = { ...request, labels: { ...request.labels, agent } };
    if (request.program !== undefined) return labelled;
    const [program = agent, ...args] = kind.start.command;
    return { ...labelled, program, args: [...args, ...(request.args ?? [])] };
  }

  /** Remembers the session that a request makes. */
  #once<T extends { readonly session: Session }>(
    { inputId }: Pick<SpawnRequest, 'inputId'>,
    content: () => string,
    making: Promise<T>,
  ): Promise<T> {
    if (inputId === undefined) return making;
    this.#parts.spawned.add(
      inputId,
      content(),
      making.then(({ session }) => session),
    );
    return making;
  }

  async #repeat(ref: SessionRef, { wait }: Pick<SpawnRequest, 'wait'>): Promise<SpawnedSession> {
    const { calls, infos, inputs, redactions } = this.#parts;
    const end =
      wait === undefined ? {} : { wait: await inputs.wait(ref, { ...wait, since: startMark }) };
    const info = await calls.glance(ref, (session) =>
      redactions.info(session, {}, infos.of(session)),
    );
    return { ...info, ...end };
  }

  /** Must be called before anything is awaited, so that no output has been read. */
  #waitFromStart(session: Session, wait: WaitRequest | undefined): Promise<WaitResult> | undefined {
    const waiting = wait && this.#parts.inputs.wait(session, { ...wait, since: startMark });
    ignored(waiting, 'it is awaited later, and may fail before');
    return waiting;
  }

  async #make(request: SpawnRequest): Promise<ReusedOrMade> {
    const { ends, factory, maxSessions, registry } = this.#parts;
    const how = [registry, factory, maxSessions] as const;
    if (!request.reuse) return { session: await spawnSession(request, ...how), reused: false };
    return reuseOrSpawn(request, ...how, (session) => ends.forget(session));
  }

  async #reuse(session: Session, { labels = {}, record = false }: SpawnRequest): Promise<void> {
    const { lifetimes, recorders } = this.#parts;
    lifetimes.use(session).dispose();
    const isRecorded = recorders.files.of(session.id)?.state === 'on';
    if (record && !isRecorded) recorders.start(session);
    await inSession(session, () => session.changeLabels(labels));
  }

  /** Begins the lifetime, limits and lease of a new session. */
  async #begin(session: Session, request: SpawnRequest): Promise<void> {
    const { drivers, keeping, leases, lifetimes, limits: limitWatches, recorders } = this.#parts;
    const { lifetime, limits, lease, persist = true, sizing } = request;
    if (lifetime !== undefined) lifetimes.begin(session, { ...lifetime });
    keeping.save(session, persist);
    if (sizing !== undefined) drivers.of(session).setSizing(sizing);
    if (limits !== undefined) limitWatches.begin(session, { ...limits });
    await this.#orEnd(session, () => {
      recorders.started(session, request);
      if (lease !== undefined) leases.add(lease, session);
    });
  }

  /** Begins something with a session that was started; ends and removes it if that fails. */
  async #orEnd(session: Session, begin: () => void): Promise<void> {
    try {
      begin();
    } catch (error) {
      await session.end({ force: true });
      this.#parts.ends.forget(session);
      throw error;
    }
  }

  /** Contract: `Coordinator.publish`. */
  async publish(request: PublishRequest): Promise<Publication> {
    const { factory, infos, lifetimes, maxSessions, recorders, registry, resizes } = this.#parts;
    const { lifetime } = request;
    const fed = await publishSession(request, registry, factory, maxSessions);
    if (lifetime !== undefined) lifetimes.begin(fed.session, { ...lifetime });
    resizes.begin(fed.session, () => {});
    recorders.started(fed.session, {});
    return new LocalPublication(fed, infos.of(fed.session));
  }

  /** Contract: `Coordinator.revive`. */
  async revive(ref: SessionRef, request: ReviveRequest): Promise<RevivedSession> {
    const { calls, infos, resuming, spawned } = this.#parts;
    const { inputId: _id, caller: _caller, wait, ...fields } = request;
    if (wait !== undefined) checkWait(wait);
    const content = () => contentHash('revive', typeof ref === 'string' ? ref : ref.name, fields);
    const before = spawned.find(request.inputId, content);
    if (before !== null) return this.#repeat(await before, request);
    const { session, missingEnv, resumed, waiting } = await calls.live(ref, async (before) => {
      if (request.now) await this.#endForRevival(before, request);
      return resuming.during(before, request, (plan) =>
        this.#reviveAs(before, request, content, plan),
      );
    });
    const end = waiting === undefined ? {} : { wait: await waiting };
    return {
      ...infos.of(session),
      ...(missingEnv.length > 0 && { missingEnv }),
      ...defined({ resumed }),
      ...end,
    };
  }

  /** Starts the session that continues or copies another one, with the plan for its agent. */
  async #reviveAs(
    before: Session,
    request: ReviveRequest,
    content: () => string,
    plan: ResumePlan | null,
  ) {
    const { clock, drivers, ends, factory, maxSessions, registry, resuming, saver } = this.#parts;
    const { epoch } = drivers.of(before);
    const revive = request.forkAs === undefined ? reviveSession : forkSession;
    let dropEarlier: (() => void) | null = null;
    const reviving = revive(before, request, {
      registry,
      factory,
      maxSessions,
      nowMs: clock.wallMs(),
      forget: (session) => {
        dropEarlier = ends.release(session);
      },
      plan,
    });
    const result = await this.#once(request, content, reviving);
    const { session, missingEnv } = result;
    if (plan?.line !== undefined) resuming.lines.set(session, plan.line);
    const waiting = this.#waitFromStart(session, request.wait);
    if (request.forkAs === undefined) drivers.of(session).continueFrom(epoch);
    await this.#begin(session, result.request);
    // Until the lines of the ended session are saved with this one, they are saved with that one only.
    const isReplaced = registry.withId(before.id) === null;
    saver.saveWithLines(session, () => {
      if (isReplaced) ends.drop(before, session);
      dropEarlier?.();
    });
    return { session, missingEnv, resumed: await this.#typeResumed(session, plan), waiting };
  }

  /** Ends the turn of a coding agent by its keys, so that its conversation is whole, and then the program. */
  async #endForRevival(session: Session, { forkAs }: ReviveRequest): Promise<void> {
    if (forkAs !== undefined) {
      throw new VtrError('INVALID_ARGUMENT', 'now and forkAs cannot be used together');
    }
    if (session.exitStatus !== null || session.facts.fedBy !== undefined) return;
    await this.#parts.agents.interrupt(session);
    // If the coordinator is killed before it is started again, it counts as lost.
    session.noteEnd({ reason: 'stopped' });
    await session.end({ isLimited: true });
  }

  async #typeResumed(session: Session, plan: ResumePlan | null): Promise<ResumedAgent | undefined> {
    if (plan === null || plan.line === undefined) return plan?.resumed;
    const { line, resumed } = plan;
    return (await this.#typeLine(session, line)) ? resumed : { ...resumed, line };
  }

  /** Types the line that starts an agent in its shell. @returns whether it was typed */
  async #typeLine(session: Session, line: string): Promise<boolean> {
    const { inputs, resuming, saver } = this.#parts;
    const { outcome } = await inputs.wait(session, { prompt: true, timeoutMs: promptMs });
    // With the id, it is typed once, whatever coordinator types it.
    const options = { by: 'vtr revive', inputId: `resume-${session.id}` };
    const typing = outcome === 'prompt' && inputs.text(session, `${line}\r`, options);
    const isTyped = await Promise.resolve(typing).then(Boolean, () => false);
    resuming.lines.delete(session);
    saver.saveFacts(session);
    return isTyped;
  }

  /**
   * Types that line again where another coordinator was killed.
   *
   * @throws VtrError UNAVAILABLE if the shell shows no prompt
   */
  async resumeAgain(session: Session, line: string): Promise<void> {
    if (await this.#typeLine(session, line)) return;
    if (this.#parts.infos.agentOf(session) !== null) return;
    const { name } = session;
    throw new VtrError(
      'UNAVAILABLE',
      `session ${name}: the shell showed no prompt; start the agent with: ${line}`,
    );
  }
}
