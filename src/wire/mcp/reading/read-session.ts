import { defined } from '#base';
import {
  type ActivityState,
  type Coordinator,
  isContinuation,
  looksLikePrompt,
  type OutputPosition,
  type SessionInfo,
  type SessionRef,
  type TimeRef,
  VtrError,
} from '#model';
import type { Caller } from '../caller.ts';
import { attentionAnswer, exitAnswer, isSameSize } from '../fields.ts';
import { outcomeNews, questionNews, stateNews, timeoutNews } from '../lean.ts';
import { knownEpoch, noMarks, type ReadMarks } from './read-marks.ts';
import { type ReadOfWait, readView, type ViewArguments, type Viewed } from './read-view.ts';
import { PlainLines } from './terminal-text.ts';
import { type Waited, waitAnswer } from './wait-for.ts';

/** What precedes a read in its call. */
export interface Before {
  readonly waited: Waited | null;
  /** Whether the call has sent input. */
  readonly hasSent: boolean;
}

/** Reads a session after a wait. Returns the answer of terminal__read. */
export async function readSession(
  coordinator: Coordinator,
  session: SessionInfo,
  args: ViewArguments,
  caller: Caller,
  before: Before,
) {
  const ref = { name: session.name, id: session.id };
  const { waited } = before;
  const marks = caller.marks.of(session.id);
  // The state before the view: if it is `exited`, the view has all output.
  const [info, { state, atPrompt }, viewed] = await Promise.all([
    waited?.session ?? coordinator.info(ref),
    activityAfter(coordinator, ref, waited, caller.isLean),
    readView(
      coordinator,
      ref,
      { ...args, until: endOfCommand(waited), ofWait: readOfWait(waited) },
      marks,
    ),
  ]);
  const { size, exitStatus } = info;
  marks.epoch ??= knownEpoch(info);
  marks.knowsEnd ||= exitStatus !== null;
  const { text, revision, cursor, mark, totalLines, highlighted = [] } = viewed;
  const { changedRows, movedRows } = viewed;
  const hasNew = args.view === 'new' ? text.content !== '' : revision > marks.seenRevision;
  marks.seenRevision = revision;
  const lines = new PlainLines();
  const answer = {
    ...text,
    ...defined({ total_lines: totalLines }),
    ...(changedRows === undefined ? {} : { changed_rows: [...changedRows] }),
    ...defined({ moved_rows: movedRows }),
    ...(highlighted.length === 0
      ? {}
      : { highlighted: highlighted.map(({ row, text }) => ({ row, text: lines.plain(text) })) }),
    cursor,
    dimensions: { rows: size.rows, cols: size.cols },
    has_new_content: hasNew,
    prompt_detected: atPrompt,
    idle: waited?.outcome === 'idle',
    ...exitAnswer(exitStatus),
    // It exited during the read, which may lack its last output: the next read reports the exit.
    state: exitStatus === null && state === 'exited' ? ('running' as const) : state,
    ...defined({ mark, note: viewed.note }),
    ...(waited === null ? await menuShown(coordinator, ref, state, args) : waitAnswer(waited)),
  };
  const fields = caller.isLean
    ? { ...answer, ...leanFields(answer, viewed, args, before, marks) }
    : answer;
  marks.size = size;
  marks.wasFullScreen = answer.state === 'full_screen';
  marks.hasMark ||= mark !== undefined;
  return fields;
}

/** Returns the choices that the screen shows; nothing for other views. */
async function menuShown(
  coordinator: Coordinator,
  session: SessionRef,
  state: ActivityState,
  { view = 'screen' }: ViewArguments,
): Promise<Pick<ReturnType<typeof attentionAnswer>, 'menu' | 'guess'>> {
  if (view !== 'screen' || state === 'at_prompt' || state === 'exited') return {};
  const { menu, guess } = attentionAnswer(await coordinator.info(session, { activity: true }));
  return menu === undefined ? {} : { menu, ...defined({ guess: guess || undefined }) };
}

/** What the wait has read; null if it read nothing. */
const readOfWait = (waited: Waited | null): ReadOfWait | null =>
  waited?.read && waited.readSince !== null ? { since: waited.readSince, read: waited.read } : null;

/** Where the command ended for which the call waited; null if it did not. */
const endOfCommand = (waited: Waited | null): OutputPosition | null =>
  waited?.outcome === 'finished' ? (waited.command?.to ?? null) : null;

type Answer = ReturnType<typeof exitAnswer> & {
  readonly content: string;
  readonly lines: number;
  readonly dimensions: { readonly rows: number; readonly cols: number };
  readonly has_new_content: boolean;
  readonly prompt_detected: boolean;
  readonly idle: boolean;
  readonly state: ActivityState;
  readonly mark?: string;
  readonly matched?: string;
  readonly matched_before?: string;
  readonly question?: string;
  readonly menu?: object;
};

/** Returns the fields that a lean answer leaves out (undefined) or may leave out. */
function leanFields(
  answer: Answer,
  { highlighted }: Viewed,
  { view = 'screen', since }: ViewArguments,
  { waited, hasSent }: Before,
  marks: ReadMarks,
) {
  const { content, dimensions, prompt_detected: atPrompt, matched, matched_before } = answer;
  const outcome = outcomeNews(waited, atPrompt);
  const question = questionNews(answer, content);
  const hasText =
    content !== '' || (matched ?? matched_before ?? question ?? answer.menu) !== undefined;
  // A full-screen program is reported when it appears.
  const isKnown = highlighted !== undefined && marks.wasFullScreen !== false;
  const hasFinished = waited?.outcome === 'finished';
  // No answer is empty.
  const hasNews = content !== '' || answer.exited || (waited !== null && !answer.idle);
  const state = hasNews ? stateNews(answer.state, atPrompt, outcome, isKnown) : answer.state;
  return {
    // Pages of the scrollback continue at `offset` plus this number.
    lines: view === 'scrollback' ? answer.lines : undefined,
    dimensions: isSameSize(marks.size, dimensions) ? undefined : dimensions,
    has_new_content: view === 'new' || hasSent ? undefined : answer.has_new_content,
    idle: undefined,
    outcome,
    question,
    ...(hasFinished ? { state: undefined, prompt_detected: undefined } : { state }),
    mark: marks.hasMark && since === undefined ? undefined : answer.mark,
    timeout_ms: waited === null ? undefined : timeoutNews(waited),
    untrusted: hasText ? (true as const) : undefined,
  };
}

interface SessionActivity {
  readonly state: ActivityState;
  /** True at the prompt of a shell or of another program, such as a REPL. */
  readonly atPrompt: boolean;
}

/** Returns a session's activity: from the wait's result if possible, because a request may start a process. */
async function activityAfter(
  coordinator: Coordinator,
  session: SessionRef,
  waited: Waited | null,
  isLean: boolean,
): Promise<SessionActivity> {
  const { outcome, question = '' } = waited ?? {};
  // A lean answer does not have the state then.
  const isKnown = isLean && (outcome === 'prompt' || outcome === 'finished');
  if (isKnown || outcome === 'at_prompt') return { state: 'at_prompt', atPrompt: true };
  if (outcome === 'exited') return { state: 'exited', atPrompt: false };
  if (outcome === 'password' || outcome === 'awaiting_input') {
    return { state: outcome, atPrompt: asksForLine(question, waited?.program) };
  }
  const { state, evidence } = waited?.activity ?? (await coordinator.activity(session));
  if (state === 'at_prompt' || outcome === 'prompt') return { state, atPrompt: true };
  if (state !== 'awaiting_input' || !evidence.promptPattern) return { state, atPrompt: false };
  // The activity has no text. A second prompt looks like a prompt, too.
  const { attention } = await coordinator.info(session, { activity: true });
  const isInput = attention?.kind === 'input';
  return {
    state,
    atPrompt: isInput && asksForLine(attention.evidence, evidence.foreground?.name),
  };
}

/** Whether a question is a prompt for a whole command, and not for the rest of one. */
const asksForLine = (question: string, program: string | undefined): boolean =>
  looksLikePrompt(question) && !isContinuation(question, program ?? null);

/** The arguments of terminal__read that say nothing about a time in the past. */
const presentOnly = [
  'since',
  'wait_for',
  'stop_on',
  'wait_idle_ms',
  'wait_for_prompt',
  'wait_for_exit',
  'wait_for_command',
  'wait_for_driver',
] as const;

type PresentArguments = { readonly [Name in (typeof presentOnly)[number]]?: unknown };

/**
 * Reads a session as it was. Returns the answer of terminal__read, in which the state and the exit are
 * those of now. What the client has read is not affected.
 *
 * @throws VtrError INVALID_ARGUMENT, NOT_RECORDED, COMMAND_NOT_FOUND
 */
export async function readEarlier(
  coordinator: Coordinator,
  session: SessionInfo,
  args: ViewArguments & PresentArguments & { readonly at: TimeRef },
  isLean: boolean,
) {
  const other = presentOnly.find((name) => args[name] !== undefined);
  const conflict = other ?? (args.view === 'new' ? 'view new' : undefined);
  if (conflict !== undefined) {
    throw new VtrError('INVALID_ARGUMENT', `at and ${conflict} cannot be used together`);
  }
  const ref = { name: session.name, id: session.id };
  const viewed = await readView(coordinator, ref, args, noMarks());
  const { text, cursor, atMs, size = session.size, totalLines, highlighted = [] } = viewed;
  const lines = new PlainLines();
  const { lines: count, ...page } = text;
  const answer = {
    ...page,
    ...(atMs === undefined ? {} : { at: new Date(atMs).toISOString() }),
    ...defined({ total_lines: totalLines }),
    ...(highlighted.length === 0
      ? {}
      : { highlighted: highlighted.map(({ row, text }) => ({ row, text: lines.plain(text) })) }),
    cursor,
  };
  const dimensions = { rows: size.rows, cols: size.cols };
  if (isLean) {
    return {
      ...answer,
      ...(args.view === 'scrollback' ? { lines: count } : {}),
      ...(isSameSize(session.size, size) ? {} : { dimensions }),
    };
  }
  return {
    ...answer,
    lines: count,
    dimensions,
    has_new_content: false,
    prompt_detected: false,
    idle: false,
    ...exitAnswer(session.exitStatus),
    state: session.state,
  };
}
