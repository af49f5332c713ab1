import * as z from 'zod/v4';
import { defined, sanitize } from '#base';
import {
  type ActivityState,
  type Coordinator,
  hidesText,
  isShell,
  type RunResult,
  type Sender,
  type SessionRef,
} from '#model';
import { sendKnowing } from '../caller.ts';
import {
  asInRead,
  budgetFields,
  exitCode,
  menu,
  ms,
  rareWaitedFields,
  sessionId,
  textFields,
} from '../fields.ts';
import { questionNews } from '../lean.ts';
import { promptPatternOf } from '../options.ts';
import { noteTold } from '../reading/read-marks.ts';
import {
  budgetOf,
  excerptFacts,
  hiddenOnScreen,
  joined,
  PlainLines,
  plainText,
} from '../reading/terminal-text.ts';
import { questionAnswer, reporting } from '../reading/wait-for.ts';
import { acts, defineTool } from '../tool.ts';

const { guess, unverified } = rareWaitedFields;

export const run = defineTool({
  name: 'terminal__run',
  title: 'Run command',
  description:
    'Run a shell command in a terminal session, and get its exit code, output alone, directory and duration. On awaiting_input or password, answer with terminal__send; on timed_out it still runs: terminal__wait.',
  annotations: acts,
  isCore: true,
  input: z.strictObject({
    session_id: sessionId,
    line: z.string(),
    timeout_ms: ms().optional().describe('Default 30000, max 50000'),
    prompt_pattern: z.string().optional().describe('RE2 of an unusual prompt'),
    ...budgetFields,
    max_lines: budgetFields.max_lines.describe('Keeps both ends'),
  }),
  output: z.object({
    outcome: z.string(),
    question: z.string().optional(),
    menu: menu.optional(),
    state: z.string().optional(),
    exit_code: exitCode,
    status: z.literal('unknown').optional(),
    status_from: z.string().optional(),
    program: z.string().optional(),
    asks_for_rest: z.boolean().optional(),
    content: z.string(),
    incomplete: z.boolean().optional(),
    source: z.string().optional(),
    note: z.string().optional(),
    cwd: z.string().nullable(),
    duration_ms: z.int(),
    timeout_ms: z.int(),
    ...asInRead({ guess, unverified, ...textFields }),
    untrusted: textFields.untrusted,
    omitted: textFields.omitted,
    screen_rows: z.int().optional().describe('On the alternate screen, not in content'),
  }),
  async run(args, caller, call) {
    const {
      session_id,
      line,
      timeout_ms: timeoutMs = defaultRunMs,
      prompt_pattern,
      ...budget
    } = args;
    const { options } = caller;
    const coordinator = await caller.coordinatorOf(session_id);
    const { name, id } = await coordinator.info(session_id);
    const session = { name, id };
    const request = {
      line,
      timeoutMs: Math.min(timeoutMs, options.maxWaitMs),
      ...promptPatternOf(options),
      ...defined({ promptPattern: prompt_pattern }),
      ...budgetOf(budget),
      signal: call.signal,
    };
    const send = (sender: Sender) => coordinator.run(session, { ...request, ...sender });
    const result = await reporting(call, sendKnowing(caller, id, send));
    const marks = caller.marks.of(id);
    noteTold(marks, result);
    marks.waitMark = result.mark;
    marks.commandMark = result.mark;
    // The view `new` does not repeat this output.
    marks.readMark = result.mark;
    marks.rows = null;
    const [hiddenText, cwd] = await Promise.all([
      isHiddenIn(coordinator, session, result),
      cwdAfter(coordinator, session, result),
    ]);
    const fields = {
      ...answer(result, hiddenText, cwd),
      ...(await stateOf(coordinator, session, result)),
      ...(await noteOn(coordinator, session, result)),
    };
    const lean = caller.isLean ? leanFields(fields, marks.cwd, timeoutMs) : {};
    marks.cwd = fields.cwd;
    marks.wasFullScreen = fields.state === 'full_screen';
    return { ...fields, ...lean };
  },
});

const defaultRunMs = 30_000;

/** Without shell integration only the screen can be checked: the command's output is not known. */
async function isHiddenIn(
  coordinator: Coordinator,
  session: SessionRef,
  { output, command, source }: RunResult,
): Promise<boolean> {
  const { head, tail } = output;
  if (head === '' && tail === '') return false;
  const isScreen = source === 'screen';
  if (isScreen || command === null || command.unverified)
    return hiddenOnScreen(coordinator, session);
  const styled = await coordinator.commandOutput(session, {
    command: command.number,
    format: 'ansi',
    // The lines that are shown, including those that are shown in part.
    maxLines: head.split('\n').length + tail.split('\n').length,
    keep: head === '' ? 'tail' : tail === '' ? 'head' : 'both',
  });
  return [styled.text.head, styled.text.tail].some((text) => text.split('\n').some(hidesText));
}

/** @param cwd the shell's, after the command */
function answer(result: RunResult, hiddenText: boolean, cwd: string | null) {
  const { outcome, exitCode: code, exitStatus, command, output, gap } = result;
  const facts = { ...excerptFacts(output, gap), hiddenText };
  const { lines: _, ...text } = plainText(joined(output), facts);
  return {
    outcome,
    // A shell without integration that exits has the status of its last command.
    exit_code: code ?? exitStatus?.code ?? null,
    ...(isStatusUnknown(result) ? { status: 'unknown' as const } : {}),
    ...(result.program === undefined ? {} : { program: sanitize(result.program).text }),
    ...defined({
      asks_for_rest: result.asksForRest || undefined,
      unverified: command?.unverified || undefined,
    }),
    ...(result.statusFrom === 'query' ? { status_from: result.statusFrom } : {}),
    ...text,
    ...defined({ incomplete: result.incomplete || undefined }),
    ...(result.source === 'screen' ? { source: result.source } : {}),
    cwd: plainOrNull(cwd),
    ...defined({ guess: result.guess || undefined }),
    ...questionAnswer(result, new PlainLines()),
    duration_ms: Math.round(command?.durationMs ?? result.elapsedMs),
    timeout_ms: Math.round(result.timeoutMs),
  };
}

/** Whether the line has ended, and nothing says with which status. */
const isStatusUnknown = ({ outcome, exitCode, exitStatus }: RunResult): boolean =>
  (outcome === 'finished' || outcome === 'prompt') && exitCode === null && exitStatus === null;

/** Returns the session's state if the command still runs. */
async function stateOf(coordinator: Coordinator, session: SessionRef, { outcome }: RunResult) {
  if (outcome === 'password') return { state: outcome };
  if (outcome === 'awaiting_input') {
    // A program that takes over the screen, such as an editor, waits for keys.
    const { state } = await coordinator.activity(session);
    return { state: state === 'full_screen' ? state : outcome };
  }
  const hasEnded = outcome === 'finished' || outcome === 'prompt' || outcome === 'exited';
  return hasEnded ? {} : { state: (await coordinator.activity(session)).state };
}

const personNote = (name: string, outcome: RunResult['outcome']): string =>
  outcome === 'interrupted'
    ? `${sanitize(name).text} typed before all of the line was typed: the rest was not`
    : `${sanitize(name).text} typed meanwhile: the output may be by that`;

/** Says that a person typed, or explains a missing exit code of a shell with shell integration: the line was a comment, for example. */
async function noteOn(
  coordinator: Coordinator,
  session: SessionRef,
  { outcome, command, exitCode, person }: RunResult,
) {
  if (person !== undefined) return { note: personNote(person.name, outcome) };
  if (outcome !== 'prompt' || command !== null || exitCode !== null) return {};
  const { integration, commands } = await coordinator.commands(session, { last: 1 });
  const isMarked = integration === 'integrated' && commands.at(-1)?.state !== 'running';
  return isMarked ? { note: 'the line ran no command' } : {};
}

/**
 * Returns the directory after a command: the shell's own, or that of a shell that runs in it. Null if
 * it is unknown: of ssh, for example, only the local directory is known.
 */
async function cwdAfter(
  coordinator: Coordinator,
  session: SessionRef,
  { command, exitStatus }: RunResult,
): Promise<string | null> {
  if (exitStatus !== null) return null;
  const { activity } = await coordinator.info(session, { activity: true });
  if (activity === undefined) return null;
  const { foreground, leaderInForeground } = activity.evidence;
  const isOfShell =
    command !== null || leaderInForeground === true || (foreground && isShell(foreground.name));
  return isOfShell ? activity.directory : null;
}

/** `duration_ms` is news from this time on. */
const longMs = 1_000;

type Told = ReturnType<typeof answer> & { readonly state?: ActivityState };

/**
 * Returns the fields that a lean answer leaves out (undefined) or may leave out.
 *
 * @param cwd the directory that the client was told last
 */
function leanFields(fields: Told, cwd: string | null, askedMs: number) {
  const { outcome, content, state, exit_code, duration_ms, timeout_ms } = fields;
  const question = questionNews(fields, content);
  return {
    outcome: outcome === 'finished' && exit_code !== null ? undefined : outcome,
    state: state === outcome || state === 'running' ? undefined : state,
    question,
    cwd: fields.cwd === cwd ? undefined : fields.cwd,
    duration_ms: duration_ms >= longMs ? duration_ms : undefined,
    timeout_ms: askedMs > timeout_ms ? timeout_ms : undefined,
    untrusted:
      content === '' && (question ?? fields.menu) === undefined ? undefined : (true as const),
  };
}

/** Sanitized, because any program can report a directory. */
const plainOrNull = (text: string | null | undefined) => (text ? sanitize(text).text : null);
