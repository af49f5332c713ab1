/** Lean answers; docs/adr/0034 has their rules. */

import type { ActivityState } from '#model';
import type { WaitArguments, Waited } from './reading/wait-for.ts';

/**
 * Returns an answer without the fields that are null, false or empty, at any depth.
 *
 * @param always names of fields of the answer itself that stay
 * @param never names of fields that are left out, also of the elements of its lists
 */
export function leanAnswer(
  answer: Readonly<Record<string, unknown>>,
  always: readonly string[] = [],
  never: readonly string[] = [],
): Record<string, unknown> {
  const fields = Object.entries(answer).filter(([name, value]) => {
    if (never.includes(name)) return false;
    return always.includes(name) ? value !== undefined : !isEmpty(value);
  });
  return Object.fromEntries(fields.map(([name, value]) => [name, leanValue(value, never)]));
}

function leanValue(value: unknown, never: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((each) => leanElement(each, never));
  if (typeof value !== 'object' || value === null) return value;
  return leanAnswer(value as Record<string, unknown>);
}

const leanElement = (element: unknown, never: readonly string[]): unknown =>
  typeof element === 'object' && element !== null
    ? leanAnswer(element as Record<string, unknown>, [], never)
    : element;

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === false || value === '') return true;
  return Array.isArray(value) && value.length === 0;
}

/** Returns the reason for a wait's end if no other field of a lean answer has it. */
export function outcomeNews(waited: Waited | null, promptDetected: boolean): string | undefined {
  if (waited === null) return undefined;
  const { outcome, args, command } = waited;
  const isTold: Partial<Record<Waited['outcome'], boolean>> = {
    matched: true,
    exited: true,
    prompt: promptDetected,
    awaiting_input: promptDetected && args.wait_for_prompt === true,
    finished: command?.exitCode != null,
    idle: !hasOtherConditions(args),
  };
  return isTold[outcome] ? undefined : outcome;
}

function hasOtherConditions(args: WaitArguments): boolean {
  const { wait_for: match = [], stop_on: stop = [], wait_for_exit: exit } = args;
  const { wait_for_prompt: prompt, wait_for_command: command, wait_for_driver: driver } = args;
  const hasPatterns = match.length > 0 || stop.length > 0;
  return hasPatterns || exit || prompt || command || driver || false;
}

/**
 * Returns the state of a session if it follows from no other field of a lean answer. Without it, the
 * program runs.
 *
 * @param outcome the outcome in the answer
 * @param isKnownScreen whether the answer has a screen, and an earlier one had the state of a
 *   full-screen program
 */
export function stateNews(
  state: ActivityState,
  promptDetected: boolean,
  outcome: string | undefined,
  isKnownScreen: boolean,
): ActivityState | undefined {
  if (state === 'running' || state === 'exited' || promptDetected) return undefined;
  if (state === 'full_screen' && isKnownScreen) return undefined;
  return state === outcome ? undefined : state;
}

/** Returns a question unless the content ends with it, or a menu has it. */
export const questionNews = (
  { question, menu }: { readonly question?: string; readonly menu?: object },
  content: string,
): string | undefined =>
  question === undefined || menu !== undefined || content.trimEnd().endsWith(question)
    ? undefined
    : question;

/** Returns the timeout that applied if it was shorter than requested, or the default in place of 0. */
export const timeoutNews = ({ args, timeoutMs }: Waited): number | undefined =>
  args.timeout_ms === 0 || (args.timeout_ms ?? 0) > timeoutMs ? timeoutMs : undefined;
