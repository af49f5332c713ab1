import {
  type AgentKind,
  AgentTracker,
  agentOf,
  explainScreen,
  isConversationId,
  type KnownTitle,
  type SavedAgent,
  savedAgent,
} from '#agents';
import { type Clock, type Disposable, deferred, defined, ignored } from '#base';
import {
  type AgentInfo,
  type ExplainedAgent,
  evidenceText,
  type SessionEvent,
  VtrError,
} from '#model';
import { type ProcessEntry, processArguments, type Session } from '#session';
import type { Registered, Registry } from '../registry.ts';
import { screenOf } from '../submitting/until-shown.ts';
import type { SessionReports } from './session-reports.ts';

/** After a program begins to read keys itself, it is looked at after these times, in ms: wrappers load. */
const looksMs = [200, 1_000, 3_000, 10_000];
/** After its last look, an agent that is known is looked for again at the earliest after this time, in ms. */
const againMs = 10_000;
/** The most processes of the foreground group whose arguments are read. */
const maxProcesses = 12;
const maxTitles = 8;
/** The time in which a turn that is interrupted must end, in ms. */
const interruptMs = 3_000;

export interface AgentSources {
  readonly clock: Clock;
  /** Returns the kinds of agents that are known. */
  kinds(): Promise<readonly AgentKind[]>;
  listProcesses(): Promise<readonly ProcessEntry[]>;
  readonly reports: Pick<SessionReports, 'of' | 'statusOf'>;
  /** Saves what {@link SessionAgents.saved} returns. */
  readonly save: (session: Session) => void;
  readonly onFault: (error: unknown) => void;
}

/** What is kept of a session's agent, with which it is started again when its program has ended. */
export interface KeptAgent {
  /** The id of its kind. */
  readonly kind: string;
  /** The conversation that it has reported, or with which vtr has started it. Absent: none is known. */
  readonly conversation?: string;
  /** Whether the agent itself has reported the conversation. Absent: false. */
  readonly reported?: boolean;
  /** Whether it has worked, so that there is a conversation. Absent: false. */
  readonly worked?: boolean;
}

/** Returns what is kept of an agent in saved facts; null if it is nothing, or damaged. */
function keptAgentOf(saved: unknown): KeptAgent | null {
  const { kind, conversation, reported, worked } = (saved ?? {}) as Record<string, unknown>;
  if (typeof kind !== 'string') return null;
  const about = { kind, ...(worked === true && { worked }) };
  if (typeof conversation !== 'string' || !isConversationId(conversation)) return about;
  return { ...about, conversation, ...(reported === true && { reported }) };
}

const aboutKind = ({ kind, name, checkedWith, source }: AgentKind) => ({
  kind,
  name,
  checkedWith,
  rules: source,
});

/** The coding agents of all sessions. */
export class SessionAgents {
  readonly #agents = new WeakMap<Session, SessionAgent>();
  readonly #registry: Registry;
  readonly #reports: AgentSources['reports'];
  readonly #kinds: AgentSources['kinds'];

  /** @param onChange called with the id of a session whose agent began, changed or ended */
  constructor(registry: Registry, sources: AgentSources, onChange: (id: string) => void) {
    this.#reports = sources.reports;
    this.#kinds = sources.kinds;
    this.#registry = registry;
    registry.onChange(({ type, session }) => {
      if (type === 'removed' || 'live' in session) return;
      const changed = () => onChange(session.id);
      this.#agents.set(session, new SessionAgent(session, sources, changed));
    });
  }

  /** Returns the agent in the foreground of a session; null if there is none. */
  of(session: Registered): AgentInfo | null {
    const info = 'live' in session ? null : (this.#agents.get(session)?.info ?? null);
    if (info === null) return null;
    const { conversation } = this.#reports.of(session) ?? {};
    const { message } = this.#reports.statusOf(session) ?? {};
    if (conversation == null && !message) return info;
    return { ...info, ...defined({ conversation, message: message && evidenceText(message) }) };
  }

  /**
   * Explains the state of the agent in a session by what it was decided from.
   *
   * @param kind by whose rules the screen alone is explained; undefined: that of the agent
   */
  explain(session: Session, kind?: AgentKind): Omit<ExplainedAgent, 'agent'> {
    return (this.#agents.get(session) as SessionAgent).explain(kind);
  }

  /** @throws VtrError INVALID_ARGUMENT for a kind that is not known */
  async kindNamed(named: string): Promise<AgentKind> {
    const kind = (await this.#kinds()).find((each) => each.kind === named);
    if (kind !== undefined) return kind;
    throw new VtrError('INVALID_ARGUMENT', `there is no kind ${named}; see vtr agents`);
  }

  /** Must be called when the kinds of agents have changed. */
  kindsChanged(): void {
    for (const session of this.#registry.list()) {
      if (!('live' in session)) this.#agents.get(session)?.kindsChanged();
    }
  }

  /** Must be called when a program of a session has reported what it does. */
  reported(session: Session): void {
    this.#agents.get(session)?.onReport();
  }

  /** Returns what the next coordinator needs to know of the agent of a session; undefined if there is none. */
  saved(session: Session): unknown {
    return this.#agents.get(session)?.saved ?? undefined;
  }

  /** Must be called when the agent of a session has taken a prompt. @param before as of `AgentTracker.onPrompt` */
  onPrompt(session: Session, before: AgentInfo | null): void {
    this.#agents.get(session)?.onPrompt(before);
  }

  /** Whether the agent of a session gets a long prompt in pieces; see `AgentKind.takesPieces`. */
  takesPieces(session: Session): boolean {
    return this.#agents.get(session)?.takesPieces === true;
  }

  /** Returns the last agent of a session; null if it had none, or a shell has followed it. */
  lastAgent(session: Registered): KeptAgent | null {
    const agent = 'live' in session ? undefined : this.#agents.get(session);
    return agent === undefined ? keptAgentOf(session.facts.coordinator.lastAgent) : agent.last;
  }

  /** Ends the turn of a busy agent by its own keys. Resolves when it has ended, or after a time. Never fails. */
  async interrupt(session: Session): Promise<void> {
    await ignored(this.#agents.get(session)?.interrupt(), 'its program is ended anyway');
  }
}

/**
 * The coding agent in the foreground of a session, if there is one. It is looked for when a program that is no shell
 * at its prompt reads keys itself or hides the cursor, and followed until it leaves the foreground.
 */
class SessionAgent {
  readonly #session: Session;
  readonly #sources: AgentSources;
  readonly #onChange: () => void;
  readonly #titles: KnownTitle[] = [];
  #tracker: AgentTracker | null = null;
  #timer: Disposable | null = null;
  /** The program that was looked at: its command and place in the output, without a process. */
  #turn = '';
  /** The program that has hidden the cursor, as far as it is told apart. */
  #hidesCursor = '';
  /** What is saved of the agent. */
  #saved: SavedAgent | null;
  #looks = 0;
  #lookedAtMs = 0;
  #isLooking = false;
  /** Stays when the program ends. */
  last: KeptAgent | null;

  constructor(session: Session, sources: AgentSources, onChange: () => void) {
    this.#session = session;
    this.#sources = sources;
    const { coordinator } = session.facts;
    this.#saved = savedAgent(coordinator.agent);
    this.last = keptAgentOf(coordinator.lastAgent);
    this.#onChange = () => {
      this.#keepKnown();
      this.#save();
      onChange();
    };
    const { view } = session;
    const { title } = view.terminal;
    if (title !== '') this.#titles.push({ title, atMs: view.lastOutputAtMs ?? 0 });
    // For as long as the session exists.
    view.onEvent((event) => this.#onEvent(event));
    session.onChange((change) => {
      if (change === 'facts') this.#check();
      this.#tracker?.onActivity();
    });
    this.#check();
  }

  /** Null if the program in the foreground is no agent, or is not known to be one. */
  get info(): AgentInfo | null {
    return this.#tracker?.info ?? null;
  }

  /** Explains the state by what it was decided from, or with another kind the screen alone by its rules. */
  explain(named: AgentKind | undefined): Omit<ExplainedAgent, 'agent'> {
    const own = this.#tracker;
    const kind = named ?? own?.kind ?? null;
    const isOwn = own !== null && (named === undefined || named.kind === own.kind.kind);
    const about = kind === null ? {} : { kind: aboutKind(kind) };
    const explanation = isOwn ? own.explain() : null;
    if (explanation !== null) return { ...about, ...explanation };
    const titles = this.#titles.map(({ title }) => title);
    const shown = { title: titles.at(-1) ?? null, earlierTitles: titles.slice(0, -1) };
    return { ...about, ...explainScreen(screenOf(this.#session), shown, kind) };
  }

  /** Looks at the agent, and looks for one again if the report names another. */
  onReport(): void {
    const { agent = null } = this.#sources.reports.of(this.#session) ?? {};
    if (agent !== null && agent !== this.#tracker?.kind.kind) this.#looks = 0;
    this.#check();
    this.#keepKnown();
    this.#tracker?.onActivity();
  }

  /** What the next coordinator needs to know; null if there is no agent. */
  get saved(): SavedAgent | null {
    return this.#saved;
  }

  /** Saves the state when it changes. While an agent that was saved is looked for, that one stays saved. */
  #save(): void {
    const saved = this.#tracker?.saved ?? null;
    if (JSON.stringify(saved) === JSON.stringify(this.#saved)) return;
    this.#saved = saved;
    this.#sources.save(this.#session);
  }

  get takesPieces(): boolean {
    return this.#tracker?.kind.takesPieces === true;
  }

  onPrompt(before: AgentInfo | null): void {
    this.#tracker?.onPrompt(before);
  }

  #onEvent(event: SessionEvent): void {
    if (event.type === 'title') {
      this.#titles.push({ title: event.title, atMs: event.atMs });
      if (this.#titles.length > maxTitles) this.#titles.shift();
    }
    if (event.type === 'exit') {
      this.#end();
      return;
    }
    if (event.type !== 'title') this.#check();
    this.#checkAgain();
    this.#tracker?.onActivity();
  }

  /** Begins to look for an agent, or ends the one of a program that has ended. */
  #check(): void {
    const { view } = this.#session;
    const turn = this.#turnNow();
    const isOther = turn !== this.#turn;
    if (isOther) {
      this.#turn = turn;
      this.#looks = 0;
      if (view.commands.prompt !== null) this.#leave();
    }
    const isDue = this.#timer === null && !this.#isLooking && this.#looks < looksMs.length;
    // An agent that is known is looked for again when its label is another one, or its screen is no more than that of a
    // line editor.
    const isKnown = this.#tracker !== null;
    if (!isDue || (this.#mayBeAgent() === isKnown && !(isOther && isKnown))) return;
    this.#lookIn(looksMs[this.#looks] as number);
  }

  /**
   * Looks for an agent that is known again, if it does not work and something happens: it may have been killed, in a
   * shell without marks, with its last screen still shown.
   */
  #checkAgain(): void {
    const { clock } = this.#sources;
    if (this.#tracker === null || this.#timer !== null || this.#isLooking) return;
    if (this.#tracker.info.state === 'busy') return;
    const restMs = this.#lookedAtMs + againMs - clock.nowMs();
    this.#lookIn(Math.max(restMs, looksMs[1] as number));
  }

  #lookIn(delayMs: number): void {
    this.#timer = this.#sources.clock.schedule(delayMs, () => {
      this.#timer = null;
      this.#looks++;
      this.#look().catch(this.#sources.onFault);
    });
  }

  /** What differs when another program is in the foreground, as far as that is known without asking the system. */
  #turnNow(): string {
    return `${this.#program} ${this.#mayBeAgent()} ${this.#declaredKind}`;
  }

  /**
   * The place of the shell's prompt in the output, the number of its command, and whether keys are read: that is all that
   * tells programs of a shell without marks apart.
   */
  get #program(): string {
    const { prompt, running } = this.#session.view.commands;
    return `${prompt?.offset} ${running?.number} ${this.#readsKeys}`;
  }

  /** Whether a program reads keys itself, or asks for pastes in brackets. */
  get #readsKeys(): boolean {
    const { terminal } = this.#session.view;
    return terminal.keyModes.bracketedPaste || this.#session.view.keepsEnterApart();
  }

  get #label(): string | undefined {
    return this.#session.labels['agent'];
  }

  /** The kind that a label or a report says is in this session. */
  get #declaredKind(): string | null {
    return this.#label ?? this.#sources.reports.of(this.#session)?.agent ?? null;
  }

  /**
   * Whether a program reads keys itself, asks for pastes in brackets, or has hidden the cursor, as all agents do; or is
   * said to be one.
   */
  #mayBeAgent(): boolean {
    const { exitStatus, commands, terminal } = this.#session.view;
    if (exitStatus !== null || commands.prompt !== null) return false;
    if (this.#declaredKind !== null) return true;
    // Some hide it and show it for each frame.
    if (!terminal.cursor.visible) this.#hidesCursor = this.#program;
    return this.#hidesCursor === this.#program || this.#readsKeys;
  }

  /** Looks at the program again: it may be an agent now, or have other rules. */
  kindsChanged(): void {
    this.#looks = 0;
    if (this.#tracker !== null) this.#look().catch(this.#sources.onFault);
    else this.#check();
  }

  async #look(): Promise<void> {
    this.#isLooking = true;
    try {
      const turn = this.#turnNow();
      const kind = await this.#find();
      if (kind !== undefined && turn === this.#turnNow()) this.#note(kind);
    } finally {
      this.#lookedAtMs = this.#sources.clock.nowMs();
      this.#isLooking = false;
    }
    this.#check();
  }

  /** Returns the kind of the agent in the foreground; null if there is none, undefined if that cannot be known. */
  async #find(): Promise<AgentKind | null | undefined> {
    const kinds = await this.#sources.kinds();
    const labelled = kinds.find(({ kind }) => kind === this.#label);
    if (labelled !== undefined) return labelled;
    const { agent } = this.#sources.reports.of(this.#session) ?? {};
    const reported = kinds.find(({ kind }) => kind === agent);
    if (reported !== undefined) return reported;
    const listed = await this.#sources.listProcesses();
    const { evidence } = await this.#session.activity(listed);
    const pid = evidence.foreground?.pid;
    const group = listed.find((entry) => entry.pid === pid)?.group;
    if (pid === undefined || group === undefined) return undefined;
    const members = listed.filter((entry) => entry.group === group && entry.pid !== pid);
    const pids = [pid, ...members.map((entry) => entry.pid)].slice(0, maxProcesses);
    return agentOf(kinds, await processArguments(pids));
  }

  #note(kind: AgentKind | null): void {
    if (kind !== null && kind.kind === this.#tracker?.kind.kind) {
      if (kind !== this.#tracker.kind) this.#tracker.changeRules(kind);
      return;
    }
    if (kind === null) {
      this.#leave();
      return;
    }
    this.#end();
    if (this.last?.kind !== kind.kind) this.#keep({ kind: kind.kind });
    const { view, createdAtMs } = this.#session;
    const sinceMs = view.commands.running?.startedAtMs ?? createdAtMs;
    const titles = () => this.#titles.filter(({ atMs }) => atMs >= sinceMs);
    const report = () => this.#sources.reports.of(this.#session);
    const before = this.#saved?.kind === kind.kind ? this.#saved : null;
    const { clock } = this.#sources;
    const changed = () => {
      this.#checkAgain();
      this.#onChange();
    };
    this.#tracker = new AgentTracker(kind, view, clock, titles, changed, report, before);
    this.#onChange();
  }

  async interrupt(): Promise<void> {
    const kinds = await this.#sources.kinds();
    const keys = kinds.find(({ kind }) => kind === this.info?.kind)?.interrupt ?? [];
    if (this.info?.state !== 'busy' || keys.length === 0) return;
    const ended = deferred();
    const onChange = () => this.info?.state !== 'busy' && ended.resolve();
    const changes = this.#session.onChange(onChange);
    const timer = this.#sources.clock.schedule(interruptMs, () => ended.resolve());
    try {
      await this.#session.sendKeys(keys, {});
      await ended.promise;
    } finally {
      changes.dispose();
      timer.dispose();
    }
  }

  /** Another program is in the foreground. */
  #leave(): void {
    // A shell that was started again shows its prompt before its agent.
    if (this.#tracker !== null) this.#keep(null);
    this.#end();
  }

  /** Keeps what is new about the agent. */
  #keepKnown(): void {
    const { last } = this;
    const kind = this.#tracker?.kind.kind;
    if (kind === undefined || last?.kind !== kind) return;
    const { conversation = null } = this.#sources.reports.of(this.#session) ?? {};
    const isNew = conversation !== null && isConversationId(conversation);
    const reported = isNew ? ({ conversation, reported: true } as const) : {};
    const worked = this.info?.state === 'busy' ? ({ worked: true } as const) : {};
    const now: KeptAgent = { ...last, ...reported, ...worked };
    const isSame = now.conversation === last.conversation && now.reported === last.reported;
    if (!isSame || now.worked !== last.worked) this.#keep(now);
  }

  #keep(agent: KeptAgent | null): void {
    this.last = agent;
    this.#sources.save(this.#session);
  }

  #end(): void {
    this.#timer?.dispose();
    this.#timer = null;
    if (this.#tracker === null) return;
    this.#tracker.dispose();
    this.#tracker = null;
    this.#onChange();
  }
}
