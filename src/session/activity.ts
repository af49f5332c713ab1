import type { Activity, ActivityEvidence, ActivityState, OutputPosition } from '#model';
import type { Foreground, ProcessEntry, Pty, TerminalModes } from '#pty';
import type { SessionView } from './session-view.ts';

/** Returns whether the text left of the cursor looks like a prompt. */
export type IsPrompt = (text: string) => boolean;

/** In ms since 1970. */
export interface SessionTimes {
  readonly createdAtMs: number;
  /** Null while the program runs. */
  readonly exitedAtMs: number | null;
}

/** Limits the attempts on a program that prints continuously. */
const maxAttempts = 3;

/** The state of a session's terminal in the system. */
interface SystemFacts {
  readonly foreground: Foreground;
  /** Null if they are unknown or were not read. */
  readonly modes: TerminalModes | null;
}

/**
 * Returns the activity of a session. If the screen changes while the system is queried, queries it
 * again, so that all evidence is from the same moment.
 *
 * @param listed for a list of sessions: a recent listing of all processes. ECHO and ICANON are then
 * read only if the state depends on them, because that costs a process for each session.
 */
export async function readActivity(
  pty: Pick<Pty, 'foreground' | 'modes'>,
  view: SessionView,
  isPrompt: IsPrompt,
  times: SessionTimes,
  listed?: readonly ProcessEntry[],
): Promise<Activity> {
  for (let attempt = 1; ; attempt++) {
    const before = view.terminal.revision;
    const { foreground, modes } = await (listed === undefined
      ? allFacts(pty)
      : neededFacts(pty, view, attempt === 1 ? listed : []));
    const { exitStatus } = view;
    const { alternate, revision } = view.terminal;
    if (revision !== before && attempt < maxAttempts) continue;
    const unfinished = view.lineAtCursor().text;
    const evidence = {
      shellMark: shellMark(view),
      promptPattern: isPrompt(view.textBeforeCursor()),
      alternateScreen: alternate,
      foreground: foreground.program,
      leaderInForeground: foreground.isLeader,
      echo: modes?.echo ?? null,
      canonical: modes?.canonical ?? null,
      readingTerminal: foreground.readsTerminal,
      alsoWaits: foreground.alsoWaits,
      unfinishedLine: unfinished.trim() !== '',
    };
    const state = exitStatus === null ? activityState(evidence, unfinished) : 'exited';
    return { state, evidence, sinceMs: sinceMs(state, view, times), revision };
  }
}

async function allFacts(pty: Pick<Pty, 'foreground' | 'modes'>): Promise<SystemFacts> {
  const [foreground, modes] = await Promise.all([pty.foreground(), pty.modes()]);
  return { foreground, modes };
}

async function neededFacts(
  pty: Pick<Pty, 'foreground' | 'modes'>,
  { terminal, commands }: SessionView,
  listed: readonly ProcessEntry[],
): Promise<SystemFacts> {
  const foreground = await pty.foreground(listed);
  const mayReadSecret = !terminal.alternate && foreground.readsTerminal !== false;
  // An integrated shell at its prompt edits the line itself.
  const isAtMarkedPrompt =
    foreground.isLeader === true &&
    commands.integration === 'integrated' &&
    commands.prompt !== null;
  const modes = mayReadSecret && !isAtMarkedPrompt ? await pty.modes(listed) : null;
  return { foreground, modes };
}

/** Returns when a state began, in ms since 1970, as far as known. */
function sinceMs(
  state: ActivityState,
  { commands, lastInputAtMs, lastOutputAtMs }: SessionView,
  { createdAtMs, exitedAtMs }: SessionTimes,
): number {
  if (state === 'exited') return exitedAtMs ?? createdAtMs;
  if (state === 'running' || state === 'full_screen') {
    return commands.running?.startedAtMs ?? lastInputAtMs ?? createdAtMs;
  }
  return lastOutputAtMs ?? createdAtMs;
}

function shellMark(view: SessionView): ActivityEvidence['shellMark'] {
  const { commands } = view;
  if (commands.prompt !== null) return isContinued(view, commands.prompt) ? 'command' : 'prompt';
  return commands.running !== null || commands.continues ? 'command' : null;
}

/**
 * Returns whether the typed line continues in a line below the prompt. fish has no continuation
 * prompt: it indents the line to the prompt's end.
 */
function isContinued(view: SessionView, prompt: OutputPosition): boolean {
  const { line, before } = view.terminal.linePosition();
  if (prompt.line === null || line <= prompt.line || view.lastInputAt <= prompt.offset)
    return false;
  const indent = before.slice(0, prompt.col);
  return prompt.col > 0 && indent.length === prompt.col && indent.trim() === '';
}

/** Returns the state of a session whose program runs. Unknown evidence alone never decides it. */
export function activityState(evidence: ActivityEvidence, unfinished = ''): ActivityState {
  if (evidence.alternateScreen) return 'full_screen';
  if (hidesInput(evidence)) return 'password';
  if (isAtPrompt(evidence)) return 'at_prompt';
  return evidence.readingTerminal === true || hasAsked(evidence, unfinished)
    ? 'awaiting_input'
    : 'running';
}

/**
 * Programs that pass the terminal's input on. They always wait for both sides, and an unfinished
 * line is most often the other side's output.
 */
const relays = new Set([
  ...['adb', 'docker', 'incus', 'kubectl', 'lxc', 'machinectl', 'minicom', 'mosh-client', 'nc'],
  ...['ncat', 'picocom', 'podman', 'screen', 'script', 'socat', 'ssh', 'su', 'sudo', 'telnet'],
]);

/**
 * Returns whether a program has asked something and waits for the answer, and for something else as
 * well: a socket, a child.
 */
function hasAsked(evidence: ActivityEvidence, unfinished: string): boolean {
  if (evidence.alsoWaits !== true || !evidence.unfinishedLine) return false;
  const isRelay = relays.has(evidence.foreground?.name ?? '');
  return !isRelay || evidence.promptPattern || question.test(unfinished);
}

/** The end of a question behind ssh: `name? `, `Continue? [Y/n] `, `password: `. */
const question = /\?\s*$|[\])]\s*[:?]?\s+$|(password|passphrase|login|user ?name)[^:]*:\s*$/i;

/**
 * A program that edits its line itself, such as a shell at its prompt, turns off ECHO and ICANON.
 */
function hidesInput({ echo, canonical, readingTerminal }: ActivityEvidence): boolean {
  return canonical === true && echo === false && readingTerminal !== false;
}

/** A mark is certain. A pattern is a guess, and any evidence against it counts more. */
function isAtPrompt(evidence: ActivityEvidence): boolean {
  const { shellMark, promptPattern, leaderInForeground, readingTerminal } = evidence;
  if (leaderInForeground === false) return false;
  if (shellMark !== null) return shellMark === 'prompt';
  return promptPattern && readingTerminal !== false;
}
