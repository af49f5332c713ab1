import { type Clock, type Disposable, defined } from '#base';
import {
  type AgentEvidence,
  type AgentExplanation,
  type AgentInfo,
  type AgentState,
  type Cell,
  evidenceText,
  type ProgramStatus,
  type SentInput,
  type Size,
} from '#model';
import { questionId } from '#watch';
import type { AgentKind } from './agent-kind.ts';
import { type AgentReport, backgroundOf, claimsOf, type Signs } from './claims.ts';
import { type Decision, decide, settled } from './decide.ts';
import { explainLook, type Look } from './explain.ts';
import { beginsWithSign, type Scene, sceneOf } from './scene.ts';

/** The screen of a session that has an agent. */
export interface AgentView {
  readonly terminal: {
    readonly cursor: { readonly row: number; readonly col: number; readonly visible: boolean };
    readonly statuses: readonly ProgramStatus[];
    readonly revision: number;
    readonly size: Size;
    changedRows(since: number): readonly number[];
    readRow(row: number): { text(): string };
  };
  /** Where the output ended when a line end was last typed; 0 if none was. */
  readonly lastEnterAt: number;
  /** When input was last accepted, in ms since 1970; null if none was. */
  readonly lastInputAtMs: number | null;
  /** The last inputs, oldest first. */
  readonly inputs: readonly Pick<SentInput, 'number' | 'text'>[];
  rowCells(row: number): readonly Cell[];
}

/** A title, and when it was set. */
export interface KnownTitle {
  readonly title: string;
  /** In ms since 1970. */
  readonly atMs: number;
}

/** After output, the screen is looked at this much later, in ms: a program may draw in several writes. */
const lookMs = 100;
/** The same after the agent has said what it does, or has hidden or shown its cursor. */
const saidMs = 40;
/** The same while the agent is known to work. */
const lookAtWorkMs = 150;
/** A screen that does not change is looked at again after these times, in ms, because stillness is evidence. */
const stillLooksMs = [settled.saidMs, settled.supportedMs, settled.aloneMs, settled.firstMs, 5_000];
/** After a look that saw only signs turn, the screen is looked at again after this time, in ms, if nothing happens. */
const turnsMs = 300;
/** After another size, a program has this time to draw its screen again, in ms. */
const resizedMs = 500;
/** For this long, in ms, a state holds after its evidence has gone, while the screen changes. */
const holdMs = 1_500;
/** A row was repainted in place if it changed this often within {@link spinMs}, and only in its sign and numbers. */
const minSpins = 2;
const spinMs = 1_200;
/** An agent begins to work within this time after a prompt, in ms. */
const startMs = 5_000;
const maxEvidence = 5;

/**
 * Follows the state of an agent by its screen. It looks after output and input, and a few times after that; while
 * nothing happens, it does nothing.
 */
export class AgentTracker implements Disposable {
  #kind: AgentKind;
  readonly #view: AgentView;
  readonly #clock: Clock;
  readonly #titles: () => readonly KnownTitle[];
  readonly #onChange: () => void;
  readonly #report: () => AgentReport | null;
  #timer: Disposable | null = null;
  #dueMs = Number.POSITIVE_INFINITY;
  /** What moves while an agent works. */
  #moving = '';
  /** The same row by row, without signs. */
  #movable: ReadonlySet<string> = new Set();
  #movedMs: number;
  /** When something last happened that may have moved it. */
  #activeMs: number;
  /** When something happened for the first time since the last look; null if nothing did. */
  #changedMs: number | null = null;
  #spins: { readonly row: string; readonly atMs: number }[] = [];
  #over: readonly string[] = [];
  /** What the last look saw. */
  #looked: Looked = {
    rows: [],
    title: '',
    statuses: [],
    cursorVisible: true,
    enterAt: 0,
    reportedMs: 0,
  };
  #revision = -1;
  #cols = 0;
  /** When the program has drawn its screen in the present size, in ms of the clock. */
  #drawnMs = 0;
  #isHeld = false;
  /** What the state was decided from; null before the first look. */
  #lastLook: Omit<Look, 'stillMs' | 'ageOf'> | null = null;
  /** When each claim was first made without a break, in ms of the clock. */
  #claimedMs: ReadonlyMap<string, number> = new Map();
  /** When the evidence for the state was last seen. */
  #seenMs: number;
  #worked = false;
  /** When a prompt was submitted after which no work has been seen, in ms of the clock; null if none was. */
  #promptedMs: number | null = null;
  /** The view's `lastEnterAt` when the state began. */
  #enterAt = 0;
  #info: AgentInfo;
  /** Whether no state has been known yet, also not by another coordinator. */
  #starts: boolean;
  /** What another coordinator knew; null when a state is known. */
  #before: SavedAgent | null;

  /**
   * @param titles returns the titles that the agent has set, oldest first
   * @param report returns the last report of the agent; null if there is none, or it has ended
   * @param before what another coordinator knew of the agent; null if none did
   */
  constructor(
    kind: AgentKind,
    view: AgentView,
    clock: Clock,
    titles: () => readonly KnownTitle[],
    onChange: () => void,
    report: () => AgentReport | null = () => null,
    before: SavedAgent | null = null,
  ) {
    this.#kind = kind;
    this.#view = view;
    this.#clock = clock;
    this.#titles = titles;
    this.#onChange = onChange;
    this.#report = report;
    this.#movedMs = clock.nowMs();
    this.#activeMs = this.#movedMs;
    this.#seenMs = clock.nowMs();
    this.#info = {
      kind: kind.kind,
      state: 'unknown',
      sinceMs: clock.wallMs(),
      turn: before?.turn ?? 0,
      evidence: [],
      rules: kind.source,
    };
    this.#before = before;
    this.#starts = before === null;
    this.#worked = before?.worked ?? false;
    this.#lookIn(0);
  }

  get kind(): AgentKind {
    return this.#kind;
  }

  /** Follows the agent by other rules of its kind. */
  changeRules(kind: AgentKind): void {
    this.#kind = kind;
    this.#info = { ...this.#info, rules: kind.source };
    this.onActivity();
  }

  get info(): AgentInfo {
    return this.#info;
  }

  /** Explains the state by what it was decided from; null if nothing was looked at yet. */
  explain(): AgentExplanation | null {
    if (this.#lastLook === null) return null;
    const nowMs = this.#clock.nowMs();
    const stillMs = Math.round(nowMs - this.#movedMs);
    const ageOf = (claim: AgentEvidence) =>
      Math.round(nowMs - (this.#claimedMs.get(claimName(claim)) ?? nowMs));
    const explanation = explainLook({ ...this.#lastLook, stillMs, ageOf }, this.kind);
    if (!this.#isHeld) return explanation;
    const goneMs = Math.round(nowMs - this.#seenMs);
    const doubt = `${this.#info.state} holds for ${holdMs} ms after its evidence, gone for ${goneMs} ms`;
    return { ...explanation, doubt };
  }

  /** What the next coordinator needs to know. */
  get saved(): SavedAgent {
    if (this.#before !== null) return this.#before;
    const { kind, state, sinceMs, turn, questionId: question } = this.#info;
    return { kind, state, sinceMs, turn, worked: this.#worked, ...defined({ question }) };
  }

  /** Must be called after output, a new title, a resize and input. */
  onActivity(): void {
    this.#activeMs = this.#clock.nowMs();
    this.#changedMs ??= this.#activeMs;
    const delayMs = this.#info.state === 'busy' ? lookAtWorkMs : lookMs;
    this.#lookIn(this.#hasSaid() ? saidMs : delayMs);
  }

  /**
   * Must be called when the agent has taken a prompt: a turn has begun, even if no work is seen.
   *
   * @param before what the agent was before the prompt: its turn may have ended since
   */
  onPrompt(before: AgentInfo | null = null): void {
    if (before?.state === 'idle' && this.#info.turn > before.turn) return;
    this.#worked = true;
    this.#promptedMs = this.#clock.nowMs();
    this.#lookIn(0);
    if (this.#info.state !== 'idle') return;
    // Before the agent shows its work, it looks as before the prompt.
    this.#info = { ...this.#info, state: 'unknown', sinceMs: this.#clock.wallMs(), evidence: [] };
    this.#onChange();
  }

  dispose(): void {
    this.#timer?.dispose();
    this.#timer = null;
    this.#dueMs = 0;
  }

  #lookIn(delayMs: number): void {
    const dueMs = this.#clock.nowMs() + delayMs;
    if (dueMs >= this.#dueMs) return;
    this.#timer?.dispose();
    this.#dueMs = dueMs;
    this.#timer = this.#clock.schedule(delayMs, () => this.#look());
  }

  /** Whether a sign of another state than that of the last look is known without the rows. */
  #hasSaid(): boolean {
    const { cursor, statuses } = this.#view.terminal;
    const before = this.#looked;
    if (cursor.visible !== before.cursorVisible || !isSame(statuses, before.statuses)) return true;
    const title = this.#titles().at(-1)?.title ?? '';
    return title !== before.title && !(spinsTitle(before.title) && spinsTitle(title));
  }

  #look(): void {
    this.#timer = null;
    this.#dueMs = Number.POSITIVE_INFINITY;
    const nowMs = this.#clock.nowMs();
    const before = this.#looked;
    if (this.#isResized()) this.#drawnMs = nowMs + resizedMs;
    const looked = this.#read();
    this.#looked = looked;
    // Until something happened, what the last look saw was there.
    if (!this.#isHeld) this.#seenMs = Math.max(this.#seenMs, this.#changedMs ?? nowMs);
    this.#changedMs = null;
    if (nowMs < this.#drawnMs) {
      this.#lookIn(this.#drawnMs - nowMs);
      return;
    }
    if (this.#onlyTurns(before, looked)) {
      this.#movedMs = nowMs;
      this.#seenMs = nowMs;
      this.#lookIn(turnsMs);
      return;
    }
    const { rows } = looked;
    const { cursor } = this.#view.terminal;
    const scene = sceneOf({ rows, cells: (row) => this.#view.rowCells(row), cursor });
    const signs = this.#signs(scene, rows, nowMs);
    const claims = [...claimsOf(scene, signs, this.kind), ...this.#spinning(scene, nowMs)];
    const decision = this.#sincePrompt(decide(claims, signs.stillMs, this.#starts), nowMs);
    const state = this.#steadyState(decision.state, nowMs);
    this.#isHeld = state !== decision.state;
    if (!this.#isHeld) this.#seenMs = nowMs;
    this.#claimedMs = new Map(
      claims.map(claimName).map((name) => [name, this.#claimedMs.get(name) ?? nowMs]),
    );
    this.#lastLook = { scene, signs, claims, decision };
    // While a state holds, what it asked is still asked, although the screen does not show it.
    if (!this.#isHeld) this.#note(state, decision.evidence, scene, signs);
    const stillMs = signs.stillMs ?? 0;
    const nextMs = stillLooksMs.find((each) => each > stillMs);
    if (nextMs !== undefined) this.#lookIn(nextMs - stillMs);
    if (this.#isHeld) this.#lookIn(holdMs);
  }

  /** Whether the screen has another size than at the last look: it may show a part of what it showed then. */
  #isResized(): boolean {
    const { cols, rows } = this.#view.terminal.size;
    return this.#revision >= 0 && (cols !== this.#cols || rows !== this.#looked.rows.length);
  }

  /** Reads what has changed since the last look. */
  #read(): Looked {
    const { terminal, lastEnterAt: enterAt } = this.#view;
    const { revision, size, statuses, cursor } = terminal;
    const title = this.#titles().at(-1)?.title ?? '';
    const { rows: titles } = this.#looked;
    const isNew = size.cols !== this.#cols || size.rows !== titles.length;
    const changed = isNew ? Array(size.rows).keys() : terminal.changedRows(this.#revision);
    const rows = isNew ? [] : [...titles];
    for (const row of changed) rows[row] = terminal.readRow(row).text().trimEnd();
    this.#revision = revision;
    this.#cols = size.cols;
    const reportedMs = this.#report()?.atMs ?? 0;
    return { rows, title, statuses, cursorVisible: cursor.visible, enterAt, reportedMs };
  }

  /**
   * Whether nothing has changed since the last look but a sign that turns beside the same text, and numbers: most looks
   * at an agent that works need no more.
   */
  #onlyTurns(before: Looked, { rows, title, statuses, enterAt, reportedMs }: Looked): boolean {
    const { state, evidence } = this.#info;
    const isKnown = state === 'busy' && !this.#isHeld && evidence.some(isSeenInSigns);
    if (!isKnown || rows.length !== before.rows.length) return false;
    if (reportedMs !== before.reportedMs || enterAt !== before.enterAt) return false;
    if (!isSame(statuses, before.statuses)) return false;
    const changed = rows.flatMap((row, at) =>
      row === before.rows[at] ? [] : [[before.rows[at] ?? '', row] as const],
    );
    const titleTurns = title !== before.title;
    if (titleTurns && !(spinsTitle(before.title) && spinsTitle(title))) return false;
    if (titleTurns && !turns(before.title, title)) return false;
    const moves = titleTurns || changed.some(([was]) => this.#movable.has(withoutSign(was.trim())));
    return moves && changed.every(([was, is]) => turns(was, is));
  }

  /** What is known beside the screen. Notes what has moved since the last look. */
  #signs(scene: Scene, rows: readonly string[], nowMs: number): Signs {
    const all = this.#titles();
    const titles = all.map(({ title }) => title);
    const title = titles.at(-1) ?? null;
    const { over, footer, composer } = scene.rows;
    const inComposer = composer.flatMap((text) => text.split('\n'));
    const signs = [...footer, ...inComposer].filter(beginsWithSign);
    const shown = scene.composer === null ? rows : [...over, ...signs];
    const moving = [title ?? '', ...shown].join('\n');
    if (moving !== this.#moving) this.#movedMs = this.#activeMs;
    this.#moving = moving;
    const { lastEnterAt, lastInputAtMs, inputs, terminal } = this.#view;
    this.#movable = new Set(shown.map((row) => withoutSign(row.trim())));
    const { statuses } = terminal;
    const stillMs = nowMs - this.#movedMs;
    const isTitleOld = (all.at(-1)?.atMs ?? 0) < (lastInputAtMs ?? 0);
    const earlierTitles = titles.slice(0, -1);
    const facts = { title, isTitleOld, earlierTitles, stillMs, statuses, lastEnterAt };
    const report = this.#report();
    return report === null ? facts : { ...facts, report, inputs, lastInputAtMs };
  }

  /** A row over the composer that changes all the time, and only in its sign and its numbers. */
  #spinning({ composer, rows: { over } }: Scene, nowMs: number): AgentEvidence[] {
    const before = this.#over;
    this.#over = composer === null ? [] : over;
    const rows = this.#over.map(withoutSign);
    const spun = this.#over.filter((row, at) => {
      const former = before[at];
      return former !== undefined && row !== former && withoutSign(former) === rows[at];
    });
    const recent = this.#spins.filter(
      ({ atMs, row }) => nowMs - atMs <= spinMs && rows.includes(row),
    );
    this.#spins = [...recent, ...spun.map((row) => ({ row: withoutSign(row), atMs: nowMs }))];
    const turns = (row: string) =>
      this.#spins.filter((spin) => spin.row === withoutSign(row)).length;
    const text = this.#over.find((row) => turns(row) >= minSpins);
    return text === undefined
      ? []
      : [{ state: 'busy', strength: 'strong', rule: 'row-moves', text }];
  }

  /** After a prompt, an agent without signs of work may only begin late: it is idle when nothing moves for long. */
  #sincePrompt(decision: Decision, nowMs: number): Decision {
    if (decision.state === 'busy' || decision.state === 'asks') this.#promptedMs = null;
    if (this.#promptedMs === null || decision.state !== 'idle') return decision;
    const isSaid = decision.evidence.some(
      ({ rule, strength }) => rule === 'report' || (rule === 'reported' && strength === 'strong'),
    );
    const leftMs = Math.max(this.#promptedMs, this.#movedMs) + startMs - nowMs;
    if (leftMs > 0 && !isSaid) {
      this.#lookIn(leftMs);
      const doubt = `after a prompt, an agent without signs of work is idle when nothing moves for ${startMs} ms`;
      return { state: 'unknown', evidence: decision.evidence, doubt };
    }
    this.#promptedMs = null;
    return decision;
  }

  /** Returns the state to tell: the one before while its evidence may only be drawn again. */
  #steadyState(state: AgentState, nowMs: number): AgentState {
    const previous = this.#info.state;
    if (state !== 'unknown' || previous === 'unknown') return state;
    // After a prompt or an answer, the agent begins to work, and shows that a moment later.
    const isPrompted = previous === 'idle' && this.#view.lastEnterAt !== this.#enterAt;
    const isAnswered = previous === 'asks' && (this.#view.lastInputAtMs ?? 0) >= this.#info.sinceMs;
    if (isPrompted || isAnswered) return state;
    return nowMs - this.#seenMs < holdMs ? previous : state;
  }

  /** When a new state began: a state that another coordinator has told already goes on. */
  #sinceMs(state: AgentState, question: string | undefined): number {
    const before = this.#before;
    if (state !== 'unknown') this.#before = null;
    const goesOn = before !== null && before.state === state && before.question === question;
    return goesOn ? before.sinceMs : this.#clock.wallMs();
  }

  #note(state: AgentState, evidence: readonly AgentEvidence[], scene: Scene, signs: Signs): void {
    const { info: before } = this;
    const questionPart: ReturnType<typeof askedOf> =
      state === 'asks' ? askedOf(scene, evidence) : {};
    // Without input, the same question is drawn in another way.
    const isOther =
      before.questionId !== questionPart.questionId &&
      (this.#view.lastInputAtMs ?? 0) >= before.sinceMs;
    if (state !== 'unknown') this.#starts = false;
    if (state === 'busy') this.#worked = true;
    // Then the state before was another one: also a prompt that nothing shows has made it unknown.
    const hasEnded = state === 'idle' && this.#worked;
    const isNew = state !== before.state || (state === 'asks' && isOther);
    if (isNew) this.#enterAt = this.#view.lastEnterAt;
    if (state === 'idle') this.#worked = false;
    const background = state === 'idle' ? backgroundOf(scene, signs, this.kind.background) : 0;
    const sinceMs = isNew ? this.#sinceMs(state, questionPart.questionId) : before.sinceMs;
    this.#info = {
      kind: this.kind.kind,
      state,
      sinceMs,
      turn: before.turn + (hasEnded ? 1 : 0),
      ...defined({ background: background || undefined }),
      ...questionPart,
      evidence: evidence.slice(0, maxEvidence).map(short),
      rules: this.kind.source,
    };
    if (isNew || keyOf(this.#info) !== keyOf(before)) this.#onChange();
  }
}

/** What is saved of an agent for the next coordinator. */
export interface SavedAgent {
  readonly kind: string;
  readonly state: AgentState;
  /** In ms since 1970. */
  readonly sinceMs: number;
  readonly turn: number;
  /** Whether a turn has begun. */
  readonly worked: boolean;
  /** The id of the question. */
  readonly question?: string;
}

/** Returns null if the saved value is damaged. */
export function savedAgent(saved: unknown): SavedAgent | null {
  if (typeof saved !== 'object' || saved === null) return null;
  const { kind, state, sinceMs, turn, worked, question }: Partial<SavedAgent> = saved;
  const isWhole =
    typeof kind === 'string' && Number.isSafeInteger(turn) && Number.isFinite(sinceMs);
  if (!isWhole || state === undefined || !['idle', 'busy', 'asks', 'unknown'].includes(state)) {
    return null;
  }
  const id = typeof question === 'string' ? { question } : {};
  return {
    kind,
    state,
    sinceMs: Number(sinceMs),
    turn: Number(turn),
    worked: worked === true,
    ...id,
  };
}

/** What a look sees. */
interface Looked {
  /** Without trailing blanks. */
  readonly rows: readonly string[];
  readonly title: string;
  readonly statuses: readonly ProgramStatus[];
  readonly cursorVisible: boolean;
  readonly enterAt: number;
  /** When the agent last reported; 0 if it has not. */
  readonly reportedMs: number;
}

const isSame = (some: readonly ProgramStatus[], others: readonly ProgramStatus[]): boolean =>
  some.length === others.length &&
  some.every(
    ({ state, offset }, at) => state === others[at]?.state && offset === others[at].offset,
  );

/** Rules whose evidence stays while only signs turn. */
const isSeenInSigns = ({ rule }: AgentEvidence): boolean => rule !== 'row-moves';

/** Whether a title has a sign that says that its agent works. */
const spinsTitle = (title: string): boolean => /^[\u2801-\u28ff◐-◓◴-◷]/u.test(title);

/** Whether two rows or titles differ only in a sign that programs turn, and in numbers. */
const turns = (was: string, is: string): boolean => {
  const [from, to] = [was.trim(), is.trim()];
  return beginsWithSign(from) && beginsWithSign(to) && withoutSign(from) === withoutSign(to);
};

/** What is asked. Evidence without a menu on the screen, such as a title, is the question as it is. */
function askedOf(
  { question }: Scene,
  evidence: readonly AgentEvidence[],
): Pick<AgentInfo, 'question' | 'questionId' | 'menu'> {
  const shown = question?.question || (question?.menu?.title ?? '');
  const text = shown === '' ? (evidence[0]?.text ?? '') : shown;
  return {
    question: evidenceText(text),
    questionId: question?.id ?? questionId(text),
    ...(question?.menu == null ? {} : { menu: question.menu }),
  };
}

const claimName = ({ state, rule }: AgentEvidence): string => `${state} ${rule}`;

/** What those who are told of a change see of it. */
const keyOf = ({ state, question, questionId: id, menu, background, turn }: AgentInfo): string =>
  JSON.stringify([state, question, id, menu, background, turn]);

const short = (claim: AgentEvidence): AgentEvidence => ({
  ...claim,
  text: evidenceText(claim.text),
});

/** The text of a row without the sign before it and without numbers, which change while the agent works. */
const withoutSign = (row: string): string =>
  row.replace(/^[^\p{L}\p{N}]+/u, '').replace(/\d+/gu, '0');
