import type { MouseEncoding, MouseTracking } from '#model';
import type { FlagStack } from '../state/modes.ts';
import type { CommandModes, TerminalState } from '../state/terminal-state.ts';
import { isFullWidth, resetMargins } from './movement.ts';
import { enterAlternate, leaveAlternate } from './screens.ts';

// A shell marks where the output of a command begins and where it ends (OSC 133 C and D). A program that was
// killed in between leaves its modes. At the end they become what they were at the beginning: by the output
// alone, so that all copies of the terminal agree.

const tracking: readonly MouseTracking[] = ['none', 'x10', 'normal', 'button', 'any'];
const encodings: readonly MouseEncoding[] = ['default', 'utf8', 'sgr', 'urxvt', 'sgrPixels'];

/** The flags among the modes, a bit each. Programs set them for themselves. */
const flags = [
  'applicationCursorKeys',
  'applicationKeypad',
  'insert',
  'origin',
  'autowrap',
  'cursorVisible',
  'focusReporting',
  'bracketedPaste',
] as const;

/** What {@link commandModes} returns, in its order. */
const length = 11;

/** The line of a command that continues a stopped one, in any shell. */
const continues = /^\s*(?:fg\b|%)/;
/** The statuses of a stopped program: 128 and SIGSTOP, SIGTSTP, SIGTTIN or SIGTTOU of Linux or macOS. */
const isStopped = (status: number): boolean => status >= 145 && status <= 150;

/** Must be called when the output of a command begins. @param line null if it is unknown */
export function beginCommand(t: TerminalState, line: string | null): void {
  // Some shells mark the beginning of each part of a pipeline.
  t.modesAtCommand ??= commandModes(t);
  if (t.stoppedModes === null || line === null || !continues.test(line)) return;
  setCommandModes(t, t.stoppedModes);
  t.stoppedModes = null;
}

/** Must be called when a command has ended. @param status null if it is unknown */
export function endCommand(t: TerminalState, status: number | null): void {
  const before = t.modesAtCommand;
  if (before === null) return;
  t.modesAtCommand = null;
  const left = commandModes(t);
  if (left.every((value, at) => value === before[at])) return;
  if (status === null || status === 0 || isStopped(status)) t.stoppedModes = left;
  setCommandModes(t, before);
}

/** Returns the modes that a command must not leave, as integers. */
function commandModes(t: TerminalState): CommandModes {
  const { modes, keyboard } = t;
  const bits = flags.reduce((sum, name, at) => sum | ((modes[name] ? 1 : 0) << at), 0);
  return [
    bits,
    tracking.indexOf(modes.mouseTracking),
    encodings.indexOf(modes.mouseEncoding),
    keyboard.modifyOtherKeys,
    keyboard.formatOtherKeys,
    ...stackOf(keyboard.primaryFlags),
    ...stackOf(keyboard.alternateFlags),
    t.onAlternate ? 1 : 0,
    hasMargins(t) ? 1 : 0,
  ];
}

const stackOf = ({ entries, current }: FlagStack): [number, number] => [entries.length, current];

const hasMargins = (t: TerminalState): boolean =>
  t.marginTop !== 0 || t.marginBottom !== t.rows - 1 || !isFullWidth(t);

/** Sets the modes. Margins are only removed. */
function setCommandModes(t: TerminalState, values: CommandModes): void {
  const { modes, keyboard } = t;
  const [bits = 0, mouse = 0, encoding = 0, modify = 0, format = 0] = values;
  const [depth = 1, current = 0, otherDepth = 1, otherCurrent = 0, alternate, margins] =
    values.slice(5);
  flags.forEach((name, at) => {
    modes[name] = ((bits >> at) & 1) === 1;
  });
  modes.mouseTracking = tracking[mouse] ?? 'none';
  modes.mouseEncoding = encodings[encoding] ?? 'default';
  keyboard.modifyOtherKeys = Math.min(modify, 2) as 0 | 1 | 2;
  keyboard.formatOtherKeys = Math.min(format, 1) as 0 | 1;
  setStack(keyboard.primaryFlags, depth, current);
  setStack(keyboard.alternateFlags, otherDepth, otherCurrent);
  if (modes.synchronizedOutput) {
    modes.synchronizedOutput = false;
    t.stop.now = true;
  }
  if (margins !== 1 && hasMargins(t)) resetMargins(t);
  if (alternate === 1) enterAlternate(t);
  else if (t.onAlternate) {
    leaveAlternate(t);
    t.cursor.copyFrom(t.primaryCursor);
  }
}

function setStack(stack: FlagStack, depth: number, current: number): void {
  const { length: now } = stack.entries;
  if (now > depth) stack.pop(now - depth);
  for (let count = now; count < depth; count++) stack.push(current);
  stack.set(current, 1);
}

/** Returns the integers if they can be modes, else null. */
export const readCommandModes = (values: readonly number[]): CommandModes | null =>
  values.length === length ? values : null;
