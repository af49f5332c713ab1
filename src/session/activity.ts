import type { Activity, ActivityEvidence, ActivityState } from '#model';
import type { Pty } from '#pty';
import type { SessionView } from './session-view.ts';

/** Whether text left of the cursor looks like a prompt. */
export type IsPrompt = (text: string) => boolean;

/** A program that prints on and on is given up being caught between two chunks. */
const maxAttempts = 3;

/**
 * What a session is doing. The system is asked for what it knows, and asked again where the screen
 * changed meanwhile, so that both speak of the same moment.
 */
export async function readActivity(
  pty: Pick<Pty, 'foreground' | 'modes'>,
  view: SessionView,
  isPrompt: IsPrompt,
): Promise<Activity> {
  for (let attempt = 1; ; attempt++) {
    const before = view.revision;
    const [foreground, modes] = await Promise.all([pty.foreground(), pty.modes()]);
    const { revision, exitStatus } = view;
    if (revision !== before && attempt < maxAttempts) continue;
    const evidence = {
      shellMark: shellMark(view),
      promptPattern: isPrompt(view.textBeforeCursor()),
      alternateScreen: view.alternate,
      foreground: foreground.program,
      leaderInForeground: foreground.isLeader,
      echo: modes?.echo ?? null,
      canonical: modes?.canonical ?? null,
      readingTerminal: foreground.readsTerminal,
    };
    return { state: exitStatus === null ? activityState(evidence) : 'exited', evidence, revision };
  }
}

function shellMark({ commands }: SessionView): ActivityEvidence['shellMark'] {
  if (commands.prompt !== null) return 'prompt';
  return commands.running !== null || commands.continues ? 'command' : null;
}

/** The state of a session whose program runs. What is not known never speaks for a state alone. */
export function activityState(evidence: ActivityEvidence): ActivityState {
  if (evidence.alternateScreen) return 'full_screen';
  if (hidesInput(evidence)) return 'password';
  if (isAtPrompt(evidence)) return 'at_prompt';
  return evidence.readingTerminal === true ? 'awaiting_input' : 'running';
}

/** Whoever edits the line itself has ECHO off too, but takes no whole lines: shells at their prompt. */
function hidesInput({ echo, canonical, readingTerminal }: ActivityEvidence): boolean {
  return canonical === true && echo === false && readingTerminal !== false;
}

/** A mark is the shell's own word; a pattern is a guess, which any fact to the contrary outweighs. */
function isAtPrompt(evidence: ActivityEvidence): boolean {
  const { shellMark, promptPattern, leaderInForeground, readingTerminal } = evidence;
  if (leaderInForeground === false) return false;
  if (shellMark !== null) return shellMark === 'prompt';
  return promptPattern && readingTerminal !== false;
}
