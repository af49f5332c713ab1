import { defined, shellQuoted } from '#base';
import type { AgentInfo, AttentionKind, Menu } from './activity.ts';
import type { SessionInfo, SessionLabels } from './session.ts';
import { toldStatusOf } from './words.ts';

/** Returns when the state of `stateText` began, in ms since 1970. */
export const stateSinceMs = ({ exitedAtMs, agent, activity, createdAtMs }: SessionInfo): number =>
  exitedAtMs ?? agent?.sinceMs ?? activity?.sinceMs ?? createdAtMs;

/**
 * Returns the line that the shell runs, else the name of the program in the foreground if it is not
 * the session's own; null if neither is known.
 */
export function currentCommand(info: SessionInfo): string | null {
  const { activity } = info;
  if (activity === undefined || activity.state === 'exited') return null;
  const { foreground, leaderInForeground } = activity.evidence;
  // Of a shell that runs one line, the line tells more than the program that has the terminal.
  if (activity.command !== null || shellLine(info) !== null) return activity.command;
  return leaderInForeground === false && foreground !== null ? foreground.name : null;
}

/** A line that only a shell understands: with variables before its command, or with several commands. */
const needsShell = /^(?:cd|env|exec)\s|^[A-Za-z_]\w*=|[;&|]/u;

/** How Claude Code tells a teammate its name. */
const teammateName = /\s--agent-name[ =]['"]?([\w.-]+)/u;

/**
 * Returns what runs, for people: {@link currentCommand}, else the session's own program with its arguments. An agent that
 * was started by a longer line of a shell, such as `cd DIR && env A=1 claude`, is named by its kind, and a teammate of
 * Claude Code by its name, too.
 */
export function commandText(info: SessionInfo): string {
  const text = currentCommand(info) ?? programText(info);
  if (info.agent === undefined || !needsShell.test(text)) return text;
  const [, name] = teammateName.exec(text) ?? [];
  return name === undefined ? info.agent.kind : `${info.agent.kind} (${name})`;
}

/** Returns the session's own program with its arguments, or the shell line that it runs. */
function programText(info: SessionInfo): string {
  const { program, args, fedBy } = info;
  const line = shellLine(info);
  if (line !== null) return line;
  // The program of a published session may be a whole command line.
  if (fedBy !== undefined) return [program, ...args].join(' ').trim() || fedBy;
  return [fileName(program), ...args.map(shellQuoted)].join(' ');
}

/** Returns the line of a program such as `sh -c LINE`; null if it is another one. */
function shellLine({ program, args }: SessionInfo): string | null {
  const [flag, line = null, ...more] = args;
  return /sh$/.test(program) && flag === '-c' && more.length === 0 ? line : null;
}

const fileName = (path: string): string => path.slice(path.lastIndexOf('/') + 1) || path;

/** Returns the current directory, or the one in which the program was started. */
export const directoryOf = ({ activity, cwd }: SessionInfo): string => activity?.directory ?? cwd;

/** Returns a text for the directory of a session, with the branch that is checked out there: `~/src/api (main)`. */
export const withBranch = (directory: string, { activity }: SessionInfo): string =>
  activity?.branch === undefined ? directory : `${directory} (${activity.branch})`;

/** How a branch differs from the one that it follows, in commits. */
export interface Tracking {
  readonly ahead: number;
  readonly behind: number;
}

/** Returns `↑2 ↓1` for a branch that is ahead and behind; empty if it is neither. */
export const trackingText = ({ ahead, behind }: Tracking): string =>
  [ahead > 0 ? `↑${ahead}` : '', behind > 0 ? `↓${behind}` : ''].filter(Boolean).join(' ');

/** Whether people see a label: not the place of a pane of tmux, nor that of a worktree, which is its directory. */
export const isShownLabel = (key: string): boolean => !/^(?:tmux\/|worktree(?:\/|$))/.test(key);

/** The worktree of git in which a session began. */
export interface SessionWorktree {
  /** Absolute. */
  readonly path: string;
  /** The branch, or commit, from which its branch began, or into which it goes. Absent: it is not known. */
  readonly from?: string;
}

const worktreeKey = 'worktree';
const worktreeFromKey = 'worktree/from';

/** Returns the labels that tell in which worktree a session began. They stay when it is restored or revived. */
export const worktreeLabels = ({ path, from }: SessionWorktree): SessionLabels => ({
  [worktreeKey]: path,
  ...defined({ [worktreeFromKey]: from }),
});

/** Returns the worktree in which a session began; null if it began in none. */
export function worktreeOf({ labels = {} }: Pick<SessionInfo, 'labels'>): SessionWorktree | null {
  const { [worktreeKey]: path, [worktreeFromKey]: from } = labels;
  // Others may use the label for something else.
  return path?.startsWith('/') ? { path, ...defined({ from }) } : null;
}

/** Replaces the home directory by `~`. */
export function withTilde(path: string, home: string | undefined): string {
  if (!home || home === '/' || !home.startsWith('/')) return path;
  if (path === home) return '~';
  return path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}

const attentionRanks: Readonly<Record<AttentionKind, number>> = {
  input: 0,
  password: 0,
  failed: 1,
  notification: 2,
  bell: 3,
  done: 4,
  prompt: 5,
  silence: 6,
  activity: 7,
  quiet: 8,
};

/** What a session of each attention does, after its name. */
export const attentionClauses: Readonly<Record<AttentionKind, string>> = {
  input: 'waits for input',
  password: 'asks for a password',
  prompt: 'is at its prompt again',
  failed: 'failed',
  bell: 'rang the bell',
  notification: 'has a notification',
  done: 'is done',
  quiet: 'is quiet',
  activity: 'has new output',
  silence: 'is silent',
};

/** Returns what a session that wants somebody does, after its name: `asks`; empty if it wants nobody. */
export const attentionClause = ({ agent, attention }: SessionInfo): string =>
  agent?.state === 'asks'
    ? 'asks'
    : attention === undefined
      ? ''
      : attentionClauses[attention.kind];

/** Returns why a session wants somebody: of an agent that asks, its question with the choices; empty if unknown. */
export const attentionReason = ({ agent, attention }: SessionInfo): string =>
  (agent?.state === 'asks' && agentQuestion(agent)) || (attention?.evidence ?? '');

/** Whether a person drives the session. */
export const isDriven = ({ driver }: SessionInfo): boolean => driver?.kind === 'person';

/**
 * Returns the rank of a session in lists for people; a smaller one comes first: sessions that want somebody, those
 * that a person drives, agents of which nothing is known, sessions that work, those that are idle, those that ended.
 */
function needRank(info: SessionInfo): number {
  const { attention, agent, activity } = info;
  if (attention !== undefined) return attentionRanks[attention.kind];
  if (info.state === 'exited') return 30;
  if (agent?.state === 'asks') return attentionRanks.input;
  if (isDriven(info)) return 10;
  if (agent?.state === 'unknown') return 15;
  return (agent === undefined ? activity?.state === 'at_prompt' : agent.state === 'idle') ? 21 : 20;
}

/** Compares sessions for lists for people: those that need somebody first, of them those that have waited longest. */
export const compareByNeed = (a: SessionInfo, b: SessionInfo): number =>
  needRank(a) - needRank(b) || (a.attention?.sinceMs ?? 0) - (b.attention?.sinceMs ?? 0);

/** What sessions need or do, in the order of lists for people. */
export const needs = ['asks', 'failed', 'done', 'unknown', 'busy', 'idle', 'ended'] as const;
export type Need = (typeof needs)[number];

/** Returns what a session needs or does; a shell at its prompt is idle, and a command that runs is busy. */
export function needOf(info: SessionInfo): Need {
  const { attention, agent, activity, state } = info;
  const { kind } = attention ?? {};
  if (kind === 'input' || kind === 'password') return 'asks';
  if (kind === 'failed') return 'failed';
  if (kind === 'done' || kind === 'prompt') return 'done';
  if (state === 'exited') return 'ended';
  if (agent !== undefined) return agent.state;
  const status = toldStatusOf(info);
  if (status !== null) return status.state === 'working' ? 'busy' : 'idle';
  const isBusy = activity?.state === 'running' || activity?.state === 'full_screen';
  return isBusy ? 'busy' : activity === undefined ? 'unknown' : 'idle';
}

/** Returns how many sessions need or do what; without what none does. */
export function needCounts(infos: readonly SessionInfo[]): Partial<Record<Need, number>> {
  const counts = new Map<Need, number>();
  for (const need of infos.map(needOf)) counts.set(need, (counts.get(need) ?? 0) + 1);
  const present = needs.filter((need) => counts.has(need));
  return Object.fromEntries(present.map((need) => [need, counts.get(need)]));
}

/** Returns {@link needCounts} in a line: `1 asks, 2 busy`. */
export const needsText = (infos: readonly SessionInfo[]): string =>
  Object.entries(needCounts(infos))
    .map(([need, count]) => `${count} ${need}`)
    .join(', ');

/** Returns the choices of a menu by their numbers: `1 Yes`, `2 [x] Tests`. */
export const choiceTexts = ({ options, checked }: Menu): string[] =>
  options.map((option, index) => {
    const [, number = index + 1, name = option] = /^(\d+)[.)]?\s+(.*)$/.exec(option) ?? [];
    const mark = checked?.includes(index) ? '[x] ' : '';
    return `${number} ${mark}${name}`;
  });

/** Returns what an agent asks, with its choices by their numbers: `"Run npm publish?" 1 Yes 2 No`; empty for nothing. */
export function agentQuestion({ question = '', menu }: AgentInfo): string {
  const text = question || (menu?.title ?? '');
  const choices = menu === undefined ? [] : choiceTexts(menu);
  return [text === '' ? '' : JSON.stringify(text), ...choices]
    .filter((part) => part !== '')
    .join(' ');
}

/** What a session asks, for a person who answers in the list. */
export interface Question {
  readonly kind: 'input' | 'password' | 'prompt';
  /** In ms since 1970. */
  readonly sinceMs: number;
  /** The line that is shown; empty if it is unknown. */
  readonly text: string;
  /** Whether the program reads whole lines, so that an answer needs Enter. */
  readonly readsLines: boolean;
  /**
   * The id of a question with choices, or of an agent: it is answered as `SendTextOptions.answer` does, and never by a
   * text or a key that the menu may take for something else. Absent: a text answers it.
   */
  readonly questionId?: string;
}

/**
 * Returns whether a session waits for an answer: its program reads an input or a password, or shows a
 * question by which it wants somebody.
 */
export function isWaiting({ activity, attention, agent, exitStatus }: SessionInfo): boolean {
  if (exitStatus !== null) return false;
  // An agent reads its terminal in all states.
  if (agent !== undefined) return agent.state === 'asks';
  const { state } = activity ?? {};
  if (state === 'awaiting_input' || state === 'password') return true;
  return attention?.kind === 'input' || attention?.kind === 'password';
}

/** Returns what a session asks now; null if it waits for nothing. */
export function questionOf({ activity, attention, agent }: SessionInfo): Question | null {
  if (activity === undefined) return null;
  // It reads its terminal in all states, and takes a line only when it is idle.
  if (agent !== undefined && agent.state !== 'asks') {
    const { state, sinceMs } = agent;
    return state === 'idle' ? { kind: 'prompt', sinceMs, text: '', readsLines: false } : null;
  }
  const readsLines = activity.evidence.canonical !== false;
  if (attention?.kind === 'input' || attention?.kind === 'password') {
    const { kind, sinceMs, evidence: text, menu } = attention;
    const hasChoices = kind === 'input' && (menu !== undefined || agent !== undefined);
    const questionId = hasChoices ? (attention.questionId ?? agent?.questionId) : undefined;
    return { kind, sinceMs, text, readsLines, ...defined({ questionId }) };
  }
  const { state, sinceMs } = activity;
  if (state === 'at_prompt') return { kind: 'prompt', sinceMs, text: '', readsLines };
  if (state === 'password') return { kind: 'password', sinceMs, text: '', readsLines };
  return state === 'awaiting_input' ? { kind: 'input', sinceMs, text: '', readsLines } : null;
}

/** `[y/N]`, `(y/n/a)` at the end of a question. */
const namedKeys = /[[(]([a-z](?:\/[a-z])+)[\])]\s*[:?]?\s*$/i;

/** Returns the short answers that a question names, such as `y`; empty if it names none. */
export function keysNamedBy({ text }: Pick<Question, 'text'>): string[] {
  const [, keys = ''] = namedKeys.exec(text) ?? [];
  return keys.toLowerCase().split('/').filter(Boolean);
}

/** Returns whether a session still asks what a person has read. */
export function isStillAsked(question: Question, info: SessionInfo): boolean {
  const shownQuestion = questionOf(info);
  return (
    shownQuestion !== null &&
    shownQuestion.kind === question.kind &&
    shownQuestion.sinceMs === question.sinceMs &&
    shownQuestion.text === question.text &&
    shownQuestion.questionId === question.questionId
  );
}

/** Returns the text that answers a question with yes or no, or with a line. */
export const replyText = (
  question: Question,
  reply: string,
  { isLine }: { readonly isLine: boolean },
): string => (isLine || question.readsLines ? `${reply}\r` : reply);
