import { defined, quoted } from '#base';
import {
  type AgentState,
  type StatusState,
  statusStates,
  VtrError,
  type WaitRequest,
} from '#model';
import { duration, type Flag, type FlagValues, text, texts, toggle, wholeNumber } from './flags.ts';
import { redaction, redactOf } from './shared-flags.ts';

/** The conditions that end a wait; the exit and the timeout always do. */
const conditions = {
  match: texts('RE', 'output matches RE; repeatable'),
  screen: texts('RE', 'a screen row matches RE, even one already there; repeatable'),
  stop: texts('RE', 'fail when output matches RE; repeatable'),
  finished: toggle('a shell command ends; needs shell integration'),
  prompt: toggle('a prompt appears: of a shell, a debugger, a REPL'),
  asks: toggle('the program waits for input: a question, a pager, a REPL'),
  idle: duration('no change for DURATION'),
  exit: toggle('the program exits; vtr then exits with 0'),
  failed: toggle('the program exits with a status other than 0, or by a signal'),
  title: text('RE', 'the title changes to one that matches RE'),
  bell: toggle('the bell rings'),
  driver: toggle('no person drives the session'),
  status: text(
    'STATES',
    'the program says that it is done, blocked, in error, working or idle (OSC 7501, vtr report)',
  ),
  agent: text('STATES', 'the coding agent is in one of STATES: idle, asks, busy, unknown'),
};

/** How conditions match, and how much is printed. */
const options = {
  raw: toggle(
    '--match and --stop match the output as it came, with escape sequences; bytes that are not UTF-8 are U+FFFD',
  ),
  'prompt-pattern': text(
    'RE',
    'as --prompt, and recognize prompts by RE, matched against the text before the cursor',
  ),
  ignore: texts('RE', 'rows that --idle ignores, such as a clock; repeatable'),
  'count-clocks': toggle(
    '--idle counts a row that is repainted at most twice a second (a clock) as a change',
  ),
  turn: wholeNumber('N', '--agent counts idle only when N turns have ended; vtr prompt prints N'),
  since: text('MARK', 'also match output since MARK; start: from the first byte'),
  ...redaction,
  tail: wholeNumber('N', 'print the last N lines of output since the call, or since MARK'),
};

export const waitFlags = { ...conditions, ...options };

type AllWaitFlagValues = FlagValues<typeof waitFlags>;

/** A verb whose output is all new has no `--since`. */
export type WaitFlagValues = Omit<AllWaitFlagValues, 'since'> &
  Partial<Pick<AllWaitFlagValues, 'since'>>;

/** Returns the names of the given flags that are conditions. */
export const conditionsIn = (values: WaitFlagValues): string[] =>
  namesIn(
    { ...values, prompt: waitsForPrompt(values) },
    Object.keys(conditions) as (keyof WaitFlagValues)[],
  );

/** A pattern for prompts is of use only in a wait for one. */
const waitsForPrompt = (values: WaitFlagValues): boolean =>
  values.prompt || values['prompt-pattern'] !== undefined;

/** The flag that adds a wait to another action. */
export const waitFlag: Flag<string> & { bare: true } = {
  ...text('RE', 'wait until output matches RE or a condition below is met'),
  bare: true,
};

interface WithWait extends WaitFlagValues {
  readonly wait: string | undefined;
}

/** Returns the pattern of `--wait`; none if it has no value. */
export const patternsOf = ({ wait }: WithWait): string[] =>
  wait === undefined || wait === '' ? [] : [wait];

/** Refuses the flags of a wait without `--wait`. @throws VtrError INVALID_ARGUMENT */
export function checkWaitFlags(values: WithWait): void {
  if (values.wait !== undefined) return;
  const [first] = namesIn(values, Object.keys(waitFlags) as (keyof WaitFlagValues)[]);
  if (first === undefined) return;
  throw new VtrError('INVALID_ARGUMENT', `--${first} needs --wait`);
}

function namesIn(values: WaitFlagValues, names: readonly (keyof WaitFlagValues)[]): string[] {
  return names.filter((name) => {
    const value = values[name];
    return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== false;
  });
}

/**
 * Builds the request for a wait from its flags.
 *
 * @param patterns treated like those of `--match`, before them
 * @param isForPrograms returns the output even without `--tail`
 */
export function waitRequest(
  values: WaitFlagValues,
  patterns: readonly string[],
  isForPrograms: boolean,
): WaitRequest {
  const { tail, idle, since, title, 'prompt-pattern': promptPattern } = values;
  const { screen, stop, raw, finished, asks, bell, ignore, driver } = values;
  const prompt = waitsForPrompt(values);
  const states = statesIn('agent', values.agent, knownStates);
  const status = statesIn('status', values.status, statusStates);
  const maxLines = tail ?? (isForPrograms ? undefined : 0);
  return {
    match: [...patterns, ...values.match],
    screen,
    stop,
    raw,
    finished,
    prompt,
    asks,
    bell,
    ignore,
    driver,
    ...defined({ agent: states, status, agentTurn: values.turn, promptPattern }),
    ...(idle === undefined ? {} : { quietMs: idle, countClocks: values['count-clocks'] }),
    ...defined({ title, since }),
    ...(maxLines === undefined ? {} : { tail: { maxLines } }),
    ...redactOf(values),
  };
}

const knownStates: readonly AgentState[] = ['idle', 'asks', 'busy', 'unknown'];

/** Returns the states of a flag such as `--agent`; null without it. @throws VtrError INVALID_ARGUMENT */
export const agentStates = (flag: string, written: string | undefined): AgentState[] | null =>
  statesIn(flag, written, knownStates);

/** Returns the states of a flag such as `--agent idle,asks`; null without it. @throws VtrError INVALID_ARGUMENT */
function statesIn<State extends AgentState | StatusState>(
  flag: string,
  written: string | undefined,
  allStates: readonly State[],
): State[] | null {
  if (written === undefined) return null;
  return written.split(',').map((word) => {
    const state = allStates.find((each) => each === word.trim());
    if (state !== undefined) return state;
    const message = `--${flag} is ${quoted(written)}; it must be one or more of ${allStates.join(', ')}`;
    throw new VtrError('INVALID_ARGUMENT', `${message}, with commas between them`);
  });
}
