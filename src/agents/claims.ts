import {
  type AgentEvidence,
  menuText,
  type ProgramStatus,
  type SentInput,
  type StatusState,
} from '#model';
import { Pattern } from '#watch';
import type { AgentKind, BackgroundRule, Region } from './agent-kind.ts';
import { beginsWithSign, glyph, inEdge, type Scene } from './scene.ts';

/** What an agent, or a hook of it, has reported by `vtr report`. */
export interface AgentReport {
  /** Null if it has only reported a conversation. */
  readonly state: StatusState | null;
  readonly message: string;
  /** When it was made, in ms since 1970. */
  readonly atMs: number;
  /** How often input had been sent. */
  readonly inputs: number;
  /** Where the output ended. */
  readonly offset: number;
}

/** What is known of an agent beside its screen. */
export interface Signs {
  /** The title, if this agent has set one; null if not. */
  readonly title: string | null;
  /** Whether input was sent since the title was set; absent for a saved screen. */
  readonly isTitleOld?: boolean;
  /** The titles that it had before, oldest first. */
  readonly earlierTitles: readonly string[];
  /**
   * For how long the title, the rows over the composer and the signs below it have been the same, in ms; null if that is unknown, as
   * for a saved screen.
   */
  readonly stillMs: number | null;
  /** What the agent says itself (OSC 7501), the record of the agent first. */
  readonly statuses: readonly ProgramStatus[];
  /** Where the output ended when a line end was last typed; 0 if none was, or for a saved screen. */
  readonly lastEnterAt: number;
  /** The last report; absent if there is none, or its program has ended. */
  readonly report?: AgentReport;
  /** The last inputs, oldest first, for the report. */
  readonly inputs?: readonly Pick<SentInput, 'number' | 'text'>[];
  /** When input was last sent, in ms since 1970, for the report. */
  readonly lastInputAtMs?: number | null;
}

/** A title and a row that do not move for this long, in ms, are no evidence of work. */
const staleMs = 5_000;

/** A sign that also begins paragraphs and lists. */
const bullet = '[•◦●○✦]';
const braille = /^[\u2801-\u28ff]/u;
/** A key that ends the work: `esc to interrupt`, `esc interrupt`, `ctrl+c to stop`. */
const endsWork =
  /\b(?:esc(?:ape)?(?: esc)?|ctrl\+c)(?: twice)?(?: to)? (?:interrupt|cancel|stop)\b/iu;
/** A key beside it that confirms: of a dialog, which that key leaves. */
const confirms = /\b(?:enter|return)\b|[⏎↵]/iu;
/** The same at the right side of a composer: `→ Add a follow-up      ctrl+c to stop`. */
const besideDraft = /\s{3,}(?:esc|ctrl\+c) to (?:interrupt|cancel|stop)$/imu;
/** A word that is not finished: `⠸ Working...`, `✶ Unfurling… (12s)`, `⠙ Working… · Tip: …`. */
const unfinished = new RegExp(
  `^${inEdge}(?!${bullet}[^(]*$)${glyph} {1,2}\\p{L}[^.…]{0,60}(?:…|\\.\\.\\.)(?:\\s*\\(.*\\)|\\s+·.*|\\s*─*)?(?:\\s{3,}.*)?$`,
  'u',
);
const spinner = new RegExp(`^${inEdge}[\\u2801-\\u28ff] \\S`, 'u');
/** Below a composer, a word for work needs no dots: `● Working  esc esc edit prompt`. */
const atWork =
  /^[^\p{L}\p{N}\s]\ufe0f? (?:Generating|Processing|Responding|Running|Thinking|Working)\b/u;
/** A sign without a text, or with a tip. */
const alone = /^[\u2801-\u28ff\u{1f311}-\u{1f318}]\ufe0f?(?: +· .*)?$/u;

/** Returns all evidence for the state of an agent of a kind; null: the kind is unknown. */
export function claimsOf(scene: Scene, signs: Signs, kind: AgentKind | null): AgentEvidence[] {
  return [
    ...reported(scene, signs),
    ...reportOfHook(scene, signs),
    ...ruled(scene, signs, kind),
    ...spinningTitle(signs),
    ...workingRow(scene, signs),
    ...question(scene),
    ...composer(scene),
  ];
}

const statesOf = {
  idle: 'idle',
  done: 'idle',
  error: 'idle',
  working: 'busy',
  blocked: 'asks',
} as const;

/**
 * What the agent says itself. It is no proof of the opposite: agents say nothing at some dialogs. What was said before
 * the last Enter decides nothing, except that the agent works; a question ends when the composer is back.
 */
function reported({ composer: field }: Scene, signs: Signs): AgentEvidence[] {
  const root = signs.statuses.find(({ id }) => id === '');
  if (root === undefined) return [];
  const { offset, message, kind } = root;
  const state = statesOf[root.state];
  const isAnswered = offset < signs.lastEnterAt;
  const isOver = state === 'asks' ? isAnswered && field !== null : state === 'idle' && isAnswered;
  const isDoubtful = isOver || (state === 'busy' && isStale(signs.stillMs));
  const text = message || [root.state, kind ?? ''].join(' ').trim();
  return [{ state, strength: isDoubtful ? 'supports' : 'strong', rule: 'reported', text }];
}

/** Enter, and what ends the work of an agent: Escape and ctrl+c, also as the kitty protocol encodes them. */
const enters = /[\r\n]/;
const interrupts = /^\x1b$|\x03|^\x1b\[(?:27|99;5)u/;

/**
 * What a hook of the agent has reported. Most hooks miss an interruption and an answer, so a report ages: work ends with
 * an interruption, a question with an answer, and a state of rest with the next Enter. It never proves that the agent is
 * idle: dialogs have no hook.
 */
function reportOfHook({ composer: field }: Scene, signs: Signs): AgentEvidence[] {
  const { report, inputs = [], lastInputAtMs = null, stillMs } = signs;
  if (report === undefined || report.state === null) return [];
  // What the agent has said itself since is exact.
  const root = signs.statuses.find(({ id }) => id === '');
  if (root !== undefined && root.offset >= report.offset) return [];
  const state = statesOf[report.state];
  const isTyped = (lastInputAtMs ?? 0) > report.atMs;
  const first = isTyped ? Math.min(report.inputs, (inputs.at(-1)?.number ?? 1) - 1) : report.inputs;
  const typed = inputs.filter(({ number }) => number > first).map(({ text }) => text);
  const isAfter = isTyped || typed.length > 0;
  const isOver = {
    busy: typed.some((text) => interrupts.test(text)),
    asks: isAfter && field !== null,
    idle: typed.some((text) => enters.test(text)),
  }[state];
  if (isOver) return [];
  const isStrong = { busy: !isAfter && !isStale(stillMs), asks: !isAfter, idle: false }[state];
  const text = report.message || report.state;
  return [{ state, strength: isStrong ? 'strong' : 'supports', rule: 'report', text }];
}

function ruled(scene: Scene, signs: Signs, kind: AgentKind | null): AgentEvidence[] {
  return (kind?.rules ?? []).flatMap(({ id, claim, strength: most, where, match }) => {
    const text = rowsOf(where, scene, signs).find((row) => matches(match, row));
    const isStill = claim === 'busy' && isStale(signs.stillMs);
    // An agent may take the title of its question back after the question.
    const isAnswered = claim === 'asks' && where === 'title' && signs.isTitleOld === true;
    const strength = isStill || isAnswered ? 'supports' : most;
    return text === undefined ? [] : [{ state: claim, strength, rule: id, text }];
  });
}

function rowsOf(where: Region, { rows }: Scene, { title }: Signs): readonly string[] {
  if (where !== 'title') return rows[where];
  return title === null ? [] : [title];
}

/** Compiled patterns, by their text: those of kinds, which are few. */
const compiled = new Map<string, Pattern>();

function patternOf(match: string): Pattern {
  const pattern = compiled.get(match) ?? new Pattern(match);
  compiled.set(match, pattern);
  return pattern;
}

const matches = (match: string, row: string): boolean =>
  patternOf(match).findTouching(row, 0, row.length) !== null;

/** Returns how many tasks go on behind a composer, as far as the agent or the rules of its kind tell. */
export function backgroundOf(scene: Scene, signs: Signs, rules: readonly BackgroundRule[]): number {
  const tasks = signs.statuses.filter(({ id, state }) => id !== '' && state === 'working');
  if (tasks.length > 0) return tasks.length;
  const counts = rules.map(({ where, match }) => {
    for (const row of rowsOf(where, scene, signs)) {
      const hit = patternOf(match).findTouching(row, 0, row.length);
      const [count = '1'] = /\d+/u.exec(row.slice(hit?.start, hit?.end)) ?? [];
      if (hit !== null) return Number(count);
    }
    return 0;
  });
  return counts.reduce((sum, count) => sum + count, 0);
}

/** The title whose first sign turns. */
function spinningTitle({ title, earlierTitles, stillMs }: Signs): AgentEvidence[] {
  if (title === null || !braille.test(title)) return [];
  const turns = earlierTitles.some(
    (each) => braille.test(each) && each !== title && each.slice(1) === title.slice(1),
  );
  const strength = turns && !isStale(stillMs) ? 'strong' : 'supports';
  return [{ state: 'busy', strength, rule: 'title-spins', text: title }];
}

/** Whether nothing has moved for so long that a sign of work is none. @param stillMs as {@link Signs.stillMs} */
export const isStale = (stillMs: number | null): boolean => stillMs !== null && stillMs >= staleMs;

/** A row that a narrow window has wrapped within brackets, with the row below it. */
const withItsRest = (row: string, at: number, rows: readonly string[]): string =>
  /\([^)]*$/u.test(row) ? `${row} ${rows[at + 1] ?? ''}`.trimEnd() : row;

/** A row over or under the composer that says that the agent works. Without a composer it proves nothing. */
function workingRow({ composer: field, rows }: Scene, { stillMs }: Signs): AgentEvidence[] {
  const around = [...rows.over.map(withItsRest), ...rows.footer.map(withItsRest)];
  const text =
    around.find((row) => beginsWithSign(row) && endsWork.test(row)) ??
    around.find((row) => unfinished.test(row) || spinner.test(row) || alone.test(row)) ??
    rows.footer.find((row) => atWork.test(row)) ??
    rows.footer.find((row) => endsWork.test(row) && !confirms.test(row)) ??
    rows.composer.find((row) => besideDraft.test(row));
  if (text === undefined) return [];
  const strength = field === null || isStale(stillMs) ? 'supports' : 'strong';
  return [{ state: 'busy', strength, rule: 'working-row', text }];
}

function question({ question: shown }: Scene): AgentEvidence[] {
  if (shown === null) return [];
  const text = shown.menu === null ? shown.question : menuText(shown.menu);
  return [{ state: 'asks', strength: 'strong', rule: 'question', text }];
}

function composer({ composer: field }: Scene): AgentEvidence[] {
  if (field === null) return [];
  const strength = field.hasCursor ? 'strong' : 'supports';
  return [{ state: 'idle', strength, rule: 'composer', text: field.text }];
}
