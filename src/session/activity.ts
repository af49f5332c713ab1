import type { Activity, ActivityEvidence, ActivityState } from '#model';
import type { Pty } from '#pty';
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

/**
 * Returns the activity of a session. If the screen changes while the system is queried, queries it
 * again, so that all evidence is from the same moment.
 */
export async function readActivity(
  pty: Pick<Pty, 'foreground' | 'modes'>,
  view: SessionView,
  isPrompt: IsPrompt,
  times: SessionTimes,
): Promise<Activity> {
  for (let attempt = 1; ; attempt++) {
    const before = view.terminal.revision;
    const [foreground, modes] = await Promise.all([pty.foreground(), pty.modes()]);
    const { exitStatus } = view;
    const { alternate, revision } = view.terminal;
    if (revision !== before && attempt < maxAttempts) continue;
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
      unfinishedLine: view.unfinishedLine().trim() !== '',
    };
    const state = exitStatus === null ? activityState(evidence) : 'exited';
    return { state, evidence, sinceMs: sinceMs(state, view, times), revision };
  }
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

function shellMark({ commands }: SessionView): ActivityEvidence['shellMark'] {
  if (commands.prompt !== null) return 'prompt';
  return commands.running !== null || commands.continues ? 'command' : null;
}

/** Returns the state of a session whose program runs. Unknown evidence alone never decides it. */
export function activityState(evidence: ActivityEvidence): ActivityState {
  if (evidence.alternateScreen) return 'full_screen';
  if (hidesInput(evidence)) return 'password';
  if (isAtPrompt(evidence)) return 'at_prompt';
  return evidence.readingTerminal === true ? 'awaiting_input' : 'running';
}

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
