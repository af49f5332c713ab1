import { defined, exactDurationText } from '#base';
import {
  type AgentInfo,
  type Attention,
  type CommandRecord,
  evidenceText,
  exitClause,
  isKeyDriven,
  isProgramPrompt,
  menuText,
  type SessionActivity,
  type SessionEvent,
  type SessionInfo,
  spaced,
  type ToldStatus,
  type WatchChoice,
} from '#model';
import type { Session, SessionView } from '#session';
import { isGuess, isInComposer, questionAsked, shownQuestion } from '#watch';
import type { Seen } from './looks.ts';

/** A command that ran for this long without input, in ms, ended unseen. */
const longCommandMs = 5_000;
/** A program that has printed nothing for this long, in ms, is quiet. */
const longQuietMs = 5 * 60_000;
/** Someone who has begun to type a line has this time to end it, in ms. */
const typingMs = 30_000;

/** A program that has printed nothing waits for its first input after this time, in ms. */
const firstInputMs = 1_000;

/** What is known of a session whose program runs. */
export interface AttentionFacts {
  readonly view: SessionView;
  /** Ms since 1970. */
  readonly createdAtMs: number;
  /** Null if it is unknown. */
  readonly activity: SessionActivity | null;
  /** For how long the screen had not changed when the activity was queried, in ms. */
  readonly quietMs: number;
  /** How often input had been sent then. */
  readonly inputs: number;
  /** As {@link shellTurn} was then. */
  readonly turn: string;
  /** The newest verified command; null if there is none. */
  readonly command: CommandRecord | null;
  /** For how long nothing had been typed when that ended, in ms; null if it ended in an earlier daemon. */
  readonly untypedAtEndMs: number | null;
  /** What the program announced since the last input. */
  readonly signal: Attention | null;
  /** The coding agent in the foreground; null if there is none. */
  readonly agent: AgentInfo | null;
  /** What the program says that it does; null if it says nothing. */
  readonly status: ToldStatus | null;
  /** Null if a person watches it for nothing. */
  readonly watched: WatchFacts | null;
  /** Ms since 1970. */
  readonly nowMs: number;
}

/** For what a person watches a session, and what persons have seen of it. */
export interface WatchFacts extends Seen {
  readonly watch: WatchChoice;
  /** The last bell; null if there was none. */
  readonly bell: Attention | null;
  /** As {@link Looks.unseenSince} of the session. */
  readonly unseenSince: (atMs: number) => number;
}

/** Returns what differs when the shell shows another prompt or runs another command. */
export function shellTurn({ commands }: SessionView): string {
  const prompt = commands.prompt ?? commands.unverified?.prompt;
  return `${prompt?.offset} ${commands.running?.number}`;
}

/**
 * Returns why a session whose program runs wants somebody; null if it wants nobody. If there are several
 * reasons: one that needs an answer, then a failure, then what the program announced itself, then what a person
 * watches for.
 */
export function attentionOf(facts: AttentionFacts): Attention | null {
  const { agent, signal } = facts;
  if (agent !== null) return agentAsks(agent) ?? agentDone(agent) ?? signal ?? watchedFor(facts);
  return (
    toldToAsk(facts) ??
    attentionOfQuestion(facts) ??
    failed(facts) ??
    facts.signal ??
    longCommand(facts) ??
    watchedFor(facts) ??
    quiet(facts)
  );
}

/** An agent reads its terminal in all states: only what it asks wants somebody. */
function agentAsks({ state, sinceMs, question, questionId, menu }: AgentInfo): Attention | null {
  if (state !== 'asks') return null;
  const text = question || (menu === undefined ? 'the agent asks' : menuText(menu));
  return { ...at('input', sinceMs, text), ...defined({ menu, questionId }) };
}

/** Its turn has ended, and nobody has looked since. */
function agentDone({ kind, sinceMs, turn, message, done = false }: AgentInfo): Attention | null {
  const how = message ? `: ${message}` : ` has ended turn ${turn}`;
  return done ? at('done', sinceMs, `${kind}${how}`) : null;
}

/** A program that says that it waits for somebody, also one that reads nothing. */
function toldToAsk(facts: AttentionFacts): Attention | null {
  const { status } = facts;
  if (status?.state !== 'blocked') return null;
  const text = status.message || status.title || 'the program asks';
  return at('input', status.atMs ?? lastChangeMs(facts), text);
}

function attentionOfQuestion(facts: AttentionFacts): Attention | null {
  const { view, activity, quietMs, inputs, turn } = facts;
  // Since the activity was queried, input was sent, or the program has ended or another one has begun.
  if (activity === null || inputs !== view.inputCount || turn !== shellTurn(view)) return null;
  const { state } = activity;
  const shown = shownQuestion(activity, view);
  if (shown !== null) {
    const { question, menu, id: questionId } = shown;
    const text = question === '' && menu !== null ? menuText(menu) : question;
    return { ...asking('input', facts, text), questionId, ...defined({ menu }) };
  }
  if (state === 'at_prompt') return atBreakpoint(facts);
  const question = questionAsked(activity, quietMs, view);
  if (question === null || isStarting(facts)) return null;
  if (state === 'password') return asking('password', facts, view.lineAtCursor().text);
  if (isTyping(facts) || isInUse(activity) || isInComposer(activity, view)) return null;
  // Another program's prompt, as of a shell at the other end of ssh.
  const { text } = view.lineAtCursor();
  if (state !== 'awaiting_input' && isProgramPrompt(text, null)) return null;
  const { questionId, question: shownText = '' } = question;
  // It reads what somebody may send, as cat does: nobody is asked.
  if (shownText.trim() === '') return null;
  return { ...asking('input', facts, shownText), ...defined({ questionId }) };
}

/** Pagers that a program starts by itself, to show more than a screen. */
const pagers = /^(?:less|more|most|pg|pager)$/;

/** An editor, a monitor or a program with the whole screen waits for keys because somebody uses it. */
function isInUse({ state, evidence }: SessionActivity): boolean {
  const reader = evidence.foreground?.name ?? '';
  if (state === 'full_screen') return evidence.readingTerminal === true || isKeyDriven(reader);
  return isKeyDriven(reader) && !pagers.test(reader);
}

function asking(kind: 'input' | 'password', facts: AttentionFacts, text: string): Attention {
  const { activity } = facts;
  const program = activity?.evidence.foreground?.name ?? 'the program';
  const what = kind === 'input' ? `${program} waits for input` : `${program} asks for a password`;
  return {
    ...at(kind, lastChangeMs(facts), text.trim() === '' ? what : text),
    ...(activity !== null && isGuess(activity) ? { guess: true } : {}),
  };
}

/** `> `, `... `, `dquote> ` */
const continuation = /^\s*(?:\.\.\.+>?|[a-z -]*>|["'`*/-]+>)\s*$/;

/** Returns whether somebody is typing: an answer, a line at a prompt, or its continuation. */
function isTyping({ view }: AttentionFacts): boolean {
  const { text, typed } = view.lineAtCursor();
  const isAtPrompt = isProgramPrompt(text, null) || view.commands.prompt !== null;
  if (isAtPrompt && typed.trim() !== '') return true;
  if (typed.trim() === '' && !continuation.test(text)) return false;
  return view.untypedMs() < typingMs;
}

/** The prompts of debuggers that a program enters by itself. */
const breakpoint =
  /^\(*(?:Pdb|ipdb|rdb|byebug)[^)]*\)*>?\s*$|^ipdb> |^debug> |^\[\d+\] pry\(.*\)> /;

function atBreakpoint(facts: AttentionFacts): Attention | null {
  const { view } = facts;
  const { text, typed } = view.lineAtCursor();
  if (!breakpoint.test(text.trimStart()) || typed.trim() !== '') return null;
  // Somebody is using the debugger.
  const input = view.inputs.at(-1);
  const before = input?.line == null ? '' : view.linePart(input.line, { to: input.index });
  const stoppedMs = view.untypedMs() - view.silentMs();
  if (breakpoint.test(before.trimStart()) && stoppedMs < longCommandMs) return null;
  const { line } = view.terminal.linePosition();
  const lines = [...view.lineTexts(Math.max(0, line - 2), line)].map((each) => each.text.trim());
  return at('input', lastChangeMs(facts), [text.trim(), ...lines].join(' '));
}

/** Statuses after SIGINT, SIGPIPE and the signals that stop a program: 128 + n. */
const notFailures = new Set([0, 130, 141, 147, 148, 149, 150]);
/** Commands whose status 1 is an answer: no. */
const questions =
  /(?:^|[;&|]\s*|\b(?:sudo|time|xargs|git)\s+)(?:(?:e|f|z)?grep|rg|ag|ack|diff|cmp|comm|test|\[\[?|which|type|pgrep|pidof|expr|command\s+-v)(?=\s)[^;&|]*$/;

function failed({ view, command }: AttentionFacts): Attention | null {
  if (command?.state !== 'ended' || !isUnseen(view, command)) return null;
  const { line, exitCode } = command;
  if (exitCode === null || notFailures.has(exitCode)) return null;
  if (exitCode === 1 && questions.test(line?.trim() ?? '')) return null;
  const { endedAtMs } = command;
  return at(
    'failed',
    endedAtMs ?? 0,
    `${line ?? 'a command'}: ${exitClause({ code: exitCode, signal: null })}`,
  );
}

/** Whether no input was sent since a command ended. */
const isUnseen = (view: SessionView, { to }: CommandRecord): boolean =>
  to !== null && to.offset >= view.lastInputAt;

function longCommand({ view, command, untypedAtEndMs }: AttentionFacts): Attention | null {
  if (command?.state !== 'ended' || !isUnseen(view, command)) return null;
  const { endedAtMs, durationMs, line, exitCode, from } = command;
  if (endedAtMs === null || view.commands.prompt === null) return null;
  // A person who answered a question of the command, or ended it with a key, has seen that it ran.
  const isTypedIn = view.lastInputAt > from.offset;
  const sinceInputMs = untypedAtEndMs ?? endedAtMs - (view.lastInputAtMs ?? 0);
  const ranMs = isTypedIn ? sinceInputMs : durationMs;
  if (ranMs < longCommandMs) return null;
  const status = exitCode === null ? 'ended' : exitClause({ code: exitCode, signal: null });
  return at('prompt', endedAtMs, `${line ?? 'a command'}: ${status}`);
}

function quiet({ view, activity }: AttentionFacts): Attention | null {
  if (activity?.state !== 'running' || view.terminal.alternate) return null;
  const { lastOutputAtMs, commands } = view;
  const silentMs = view.silentMs();
  const begunMs = Math.min(
    view.untypedMs(),
    commands.running?.durationMs ?? Number.POSITIVE_INFINITY,
  );
  // It has not printed yet.
  if (lastOutputAtMs === null || silentMs >= begunMs) return null;
  if (silentMs < longQuietMs) return null;
  return at('quiet', lastOutputAtMs, `no output after: ${lastRow(view)}`);
}

const lastRow = (view: SessionView): string =>
  view.screenRows().findLast((row) => row.trim() !== '') ?? '';

/** What a person watches for, and nobody has seen: silence after output says more than the output. */
function watchedFor(facts: AttentionFacts): Attention | null {
  const { watched, view, nowMs } = facts;
  if (watched === null || watched.isSeen) return null;
  const { watch, seenMs, bell } = watched;
  if (watch.bell && bell !== null && bell.sinceMs > seenMs) return bell;
  const silentMs = silentAtMs({ ...facts, watched });
  if (silentMs !== null && silentMs <= nowMs && silentMs > seenMs) {
    const time = exactDurationText(watch.silenceMs ?? 0);
    return at('silence', silentMs, `no output for ${time} after: ${lastRow(view)}`);
  }
  const { lastOutputAtMs } = view;
  if (!watch.activity || lastOutputAtMs === null || lastOutputAtMs <= seenMs) return null;
  return at('activity', watched.unseenSince(lastOutputAtMs), 'output that nobody has seen');
}

/**
 * Returns when a session is silent for as long as a person watches for, if it prints nothing until then, in ms since
 * 1970; null if nobody watches for that.
 */
export function silentAtMs({
  watched: { watch, watchedMs },
  view,
  createdAtMs,
}: Pick<AttentionFacts, 'view' | 'createdAtMs'> & {
  readonly watched: Pick<WatchFacts, 'watch' | 'watchedMs'>;
}): number | null {
  if (watch.silenceMs === null) return null;
  return Math.max(view.lastOutputAtMs ?? createdAtMs, watchedMs) + watch.silenceMs;
}

const isStarting = ({ view, quietMs }: AttentionFacts): boolean =>
  view.lastOutputAtMs === null && view.inputCount === 0 && quietMs < firstInputMs;

/** When the screen of a session can have changed last, in ms since 1970. */
const lastChangeMs = ({
  view: { lastOutputAtMs, lastInputAtMs },
  createdAtMs,
}: Pick<AttentionFacts, 'view' | 'createdAtMs'>): number =>
  Math.max(lastOutputAtMs ?? 0, lastInputAtMs ?? 0, createdAtMs);

/**
 * Returns for how long the screen of a session cannot have changed, in ms. A time of day that is set changes it only
 * before the first output and input.
 *
 * @param wallMs the present, in ms since 1970
 */
export function unchangedMs(view: SessionView, createdAtMs: number, wallMs: number): number {
  const knownMs = Math.min(view.silentMs(), view.untypedMs());
  return Number.isFinite(knownMs) ? knownMs : Math.max(0, wallMs - createdAtMs);
}

/** The reasons for an end that nobody has to look at. */
const planned: ReadonlySet<string> = new Set(['idle', 'lease', 'stopped', 'reboot']);

/**
 * Returns the attention that a session wants whose program has ended.
 *
 * @param isRequested whether a caller ended it
 */
export function attentionOfEnded(info: SessionInfo, isRequested = false): Attention | null {
  const { exitStatus, exitedAtMs, createdAtMs, endedBy, program, args } = info;
  if (exitStatus === null || isRequested) return null;
  if (endedBy !== undefined && planned.has(endedBy.reason)) return null;
  const why = endedBy === undefined ? '' : ` (${spaced(endedBy.reason)})`;
  const name = program.slice(program.lastIndexOf('/') + 1);
  const kind = exitStatus.code === 0 && endedBy === undefined ? 'done' : 'failed';
  return at(
    kind,
    exitedAtMs ?? createdAtMs,
    `${[name, ...args].join(' ')}: ${exitClause(exitStatus)}${why}`,
  );
}

const at = (kind: Attention['kind'], sinceMs: number, text: string): Attention => ({
  kind,
  sinceMs,
  evidence: evidenceText(text),
});

/** The kinds that a program announces itself, the one that tells most first. */
const kinds = ['notification', 'done', 'bell'] as const;
type SignalKind = (typeof kinds)[number];

/** A bell this soon after a key is the program's answer to it: nothing to complete, the end of the text. */
const answerMs = 1_000;
/** The same if nothing else was printed since, as of a shell on a machine that is busy. */
const lateAnswerMs = 10_000;
/** Bells within this time, in ms, are one. */
const bellGapMs = 500;

/**
 * What the program of a session has announced since the last input: bells, notifications, and that its
 * progress is complete. It is kept for every session, watched or not, and needs no timer.
 */
export class SessionSignals {
  readonly #session: Session;
  readonly #last = new Map<SignalKind, Attention>();
  /** How often input had been sent at the last signal. */
  #inputs = 0;
  /** The last command that has ended, and for how long nothing had been typed then, in ms. */
  #ended: { readonly number: number; readonly untypedMs: number } | null = null;
  #hasProgress = false;
  /** The last bell of all, also one that answered a key; null if there was none. */
  lastBell: Attention | null = null;
  /** As {@link SessionInfo.bellAtMs}; null if it did not ring. */
  bellAtMs: number | null = null;

  constructor(session: Session) {
    this.#session = session;
    // For as long as the session exists.
    session.view.onEvent((event) => this.#note(event));
  }

  /** The signal since the last input that tells most; null if there is none. */
  get current(): Attention | null {
    if (this.#session.view.inputCount !== this.#inputs) return null;
    const kind = kinds.find((each) => this.#last.has(each));
    return (kind && this.#last.get(kind)) ?? null;
  }

  /** As {@link AttentionFacts.untypedAtEndMs} of a command. */
  untypedAtEndMs({ number }: Pick<CommandRecord, 'number'>): number | null {
    return this.#ended?.number === number ? this.#ended.untypedMs : null;
  }

  #note(event: SessionEvent): void {
    const { atMs } = event;
    switch (event.type) {
      case 'mark':
        if (event.mark === 'commandEnd') this.#noteEnd();
        break;
      case 'bell':
        this.#noteBell(atMs);
        break;
      case 'notification': {
        const text = [event.title, event.body].filter((each) => each !== '').join(': ');
        this.#add('notification', atMs, text || this.#about('sent a notification'));
        break;
      }
      case 'progress':
        this.#noteProgress(event.state !== 'none' && event.percent !== 100, atMs);
    }
  }

  #noteEnd(): void {
    const [command] = this.#session.commands({ last: 1 }).commands;
    const untypedMs = this.#session.view.untypedMs();
    if (command?.state === 'ended') this.#ended = { number: command.number, untypedMs };
  }

  #noteBell(atMs: number): void {
    const evidence = evidenceText(this.#about('rang the bell'));
    this.lastBell = { kind: 'bell', sinceMs: atMs, evidence };
    if (answersKey(this.#session.view)) return;
    if (this.bellAtMs === null || atMs - this.bellAtMs >= bellGapMs) this.bellAtMs = atMs;
    this.#add('bell', atMs, evidence);
  }

  #noteProgress(hasProgress: boolean, atMs: number): void {
    if (this.#hasProgress && !hasProgress) this.#add('done', atMs, this.#about('is complete'));
    this.#hasProgress = hasProgress;
  }

  #about(what: string): string {
    // All events of a chunk are published after it: the command may have ended.
    const [command] = this.#session.commands({ last: 1 }).commands;
    const isNew = command?.to == null || command.to.offset >= this.#session.view.lastInputAt;
    const isKnown = isNew && command?.unverified !== true;
    return `${(isKnown && command?.line) || 'the program'} ${what}`;
  }

  #add(kind: SignalKind, sinceMs: number, text: string): void {
    const { inputCount } = this.#session.view;
    if (inputCount !== this.#inputs) this.#last.clear();
    this.#inputs = inputCount;
    this.#last.set(kind, { kind, sinceMs, evidence: evidenceText(text) });
  }
}

/** A line that was typed starts a program, whose bell is its own. */
function answersKey(view: SessionView): boolean {
  const { lastInputAt, outputEnd, inputs, terminal } = view;
  const text = inputs.at(-1)?.text ?? '';
  // A bell or an echo is one byte.
  const isOnlyAnswer = outputEnd - lastInputAt <= text.length;
  if (view.untypedMs() >= (isOnlyAnswer ? lateAnswerMs : answerMs)) return false;
  return terminal.alternate || !/[\r\n]$/.test(text);
}
