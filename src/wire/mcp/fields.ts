import * as z from 'zod/v4';
import { defined, sanitize } from '#base';
import type { AgentInfo, ExitStatus, Menu, SessionInfo, Size } from '#model';
import { PlainLines } from './reading/terminal-text.ts';

/** Fields that several tools accept or return. Models read the descriptions: keep them short. */

export const sessionId = z.string();

const count = () => z.int().min(0);

/** A time in ms. Never refused: it is rounded, negative ones become 0, and answers report the value used. */
export const ms = () =>
  z
    .number()
    .overwrite((value) => Math.max(0, Math.round(value)))
    .meta({ type: 'integer' });

export const budgetFields = {
  max_lines: count()
    .optional()
    .describe('new keeps both ends, else the end; scrollback: default 1000'),
  max_chars: count().optional().describe('Default 30000'),
};

/** Conditions of a wait; the first one met ends it. */
export const waitFields = {
  timeout_ms: ms().optional().describe('Max 50000. Default 0, with a condition 30000'),
  wait_idle_ms: ms().optional().describe('Until no change for this long'),
  wait_for_prompt: z.boolean().optional().describe('Until a prompt or a question'),
  wait_for: z.array(z.string()).optional().describe('Until output matches (RE2)'),
  stop_on: z.array(z.string()).optional().describe('Like wait_for, for failures'),
  wait_for_exit: z.boolean().optional(),
  wait_for_command: z.boolean().optional().describe('Until a shell command ends'),
  wait_for_driver: z.boolean().optional().describe('Until no person drives'),
  agent: z.string().optional().describe('Until its agent is "idle,asks"'),
};

/** Marks an argument that is accepted and not listed. */
const unlisted = <T extends z.ZodType>(field: T): T => field.meta({ isUnlisted: true });

export const readFields = {
  view: z
    .enum(['screen', 'new', 'scrollback', 'transcript'])
    .optional()
    .describe(
      "screen (default). new: since your last such read. scrollback: history. transcript: a TUI's",
    ),
  format: z.enum(['plain', 'raw']).optional().describe('raw keeps ANSI codes'),
  ...waitFields,
  since: z.string().optional().describe('new: since a mark; "start" returns all and a mark'),
  // Names of the specification. They are not listed, because from_line and max_lines do the same.
  offset: unlisted(count().optional()),
  limit: unlisted(count().optional()),
  from_line: z.int().optional().describe('scrollback: first line; -100: the last 100'),
  ...budgetFields,
};

export const dimensions = z.object({ rows: z.int(), cols: z.int() });
export const cursor = z.object({ row: z.int(), col: z.int() });
export const exitCode = z.int().nullable();

/**
 * Choices that a program shows: id (of the question), title, options, selected, multiple, checked, button and keys; `selected` and
 * `checked` count from 0. The fields are not listed: four tools would repeat them.
 */
export const menu = z.record(z.string(), z.unknown());

/** @param lines count what is removed from its words, which are program output */
export function menuAnswer(menu: Menu, lines: PlainLines, questionId?: string) {
  const { title, options, selected, multiple, checked, button, keys } = menu;
  return {
    ...defined({ id: questionId }),
    title: lines.plain(title),
    options: options.map((option) => lines.plain(option)),
    selected,
    multiple,
    ...(checked === undefined ? {} : { checked: [...checked] }),
    ...(button === undefined ? {} : { button: lines.plain(button) }),
    ...(keys === '' ? {} : { keys: lines.plain(keys) }),
  };
}

/** The result of a wait. */
export const waitedFields = {
  outcome: z.string().optional(),
  matched: z.string().optional(),
  in_echo: z.boolean().optional().describe('Perhaps only the echo'),
  redrawn: z.boolean().optional().describe('Perhaps from before'),
  matched_before: z.string().optional().describe('Before the wait'),
  question: z.string().optional(),
  guess: z.boolean().optional().describe('By its text only'),
  unsearched_lines: z.int().optional().describe('Lost'),
  menu: menu.optional(),
  ignored_rows: z.array(z.string()).optional(),
  command_exit_code: exitCode.optional(),
  unverified: z.boolean().optional(),
  note: z.string().optional(),
  timeout_ms: z.int().optional(),
};

/** Fields of answers that terminal__read lists: another tool has them, too, and does not list them again. */
export function asInRead<F extends Record<string, z.ZodType>>(fields: F): F {
  const bare = Object.entries(fields).map(([name, field]) => [name, unlisted(field)]);
  return Object.fromEntries(bare) as F;
}

const { in_echo, redrawn, matched_before, guess, unsearched_lines, ignored_rows, unverified } =
  waitedFields;

/** Those of {@link waitedFields} that few answers have. */
export const rareWaitedFields = {
  in_echo,
  redrawn,
  matched_before,
  guess,
  unsearched_lines,
  ignored_rows,
  unverified,
};

/** Warnings about program output. */
export const foundFields = {
  removed: z.int().optional(),
  hidden_text: z.boolean().optional(),
  untrusted: z.literal(true),
};

/** The same, with how much of it is missing. */
export const textFields = {
  omitted: z.object({ lines: z.int(), bytes: z.int() }).optional(),
  lost_lines: z.int().optional(),
  earlier_lines: z.int().optional(),
  ...foundFields,
};

export const exitFields = {
  exited: z.boolean(),
  exit_code: exitCode,
  signal: z.string().optional(),
};

export const sessionFields = {
  session_id: z.string(),
  program: z.string(),
  args: z.array(z.string()),
  pid: z.int(),
  created_at: z.string(),
  dimensions,
  ...exitFields,
  healthy: z.boolean(),
};

export const isSameSize = (a: Size | null, b: Size): boolean =>
  a !== null && a.rows === b.rows && a.cols === b.cols;

/** Returns a program's end, in the fields of the specification; `signal` only if there was one. */
export function exitAnswer(status: ExitStatus | null) {
  return {
    exited: status !== null,
    exit_code: status?.code ?? null,
    ...(status?.signal == null ? {} : { signal: status.signal }),
  };
}

/** Returns a session's fields. Its words are sanitized: a program inside another session may have chosen them. */
export function sessionAnswer(info: SessionInfo) {
  return {
    session_id: info.name,
    program: sanitize(info.program).text,
    args: info.args.map((arg) => sanitize(arg).text),
    pid: info.pid,
    created_at: new Date(info.createdAtMs).toISOString(),
    dimensions: { rows: info.size.rows, cols: info.size.cols },
    ...exitAnswer(info.exitStatus),
    healthy: info.exitStatus === null,
  };
}

/** Returns what is known of the coding agent of a session: `codex idle, turn 3, 2 in the background`. */
export function agentAnswer({ agent }: { readonly agent?: AgentInfo }): {
  readonly agent?: string;
} {
  if (agent === undefined) return {};
  const { kind, state, turn, background } = agent;
  const turns = turn === 0 ? [] : [`turn ${turn}`];
  const behind = background === undefined ? [] : [`${background} in the background`];
  return { agent: [`${kind} ${state}`, ...turns, ...behind].join(', ') };
}

/** The state of a session whose activity was requested. */
export const stateOf = ({ activity, exitStatus }: SessionInfo) =>
  exitStatus === null ? (activity?.state ?? 'running') : ('exited' as const);

/**
 * The current directory of a session, null if it is not known or the session has ended, and the branch of git that is
 * checked out there, or was at its end.
 */
export function placeAnswer({
  activity,
  exitStatus,
}: Pick<SessionInfo, 'activity' | 'exitStatus'>): {
  readonly cwd: string | null;
  readonly branch?: string;
} {
  const { directory, branch } = activity ?? {};
  return {
    cwd: directory && exitStatus === null ? sanitize(directory).text : null,
    ...(branch ? { branch: sanitize(branch).text } : {}),
  };
}

/**
 * Returns why a session wants somebody, `input: Overwrite?`, and the choices that it shows. The exit status of an
 * ended one tells more.
 */
export function attentionAnswer({ attention, exitStatus }: SessionInfo): {
  readonly attention?: string;
  readonly guess?: true;
  readonly menu?: ReturnType<typeof menuAnswer>;
} {
  if (attention === undefined || exitStatus !== null) return {};
  const { kind, evidence, menu, questionId, guess } = attention;
  return {
    attention: `${kind}: ${evidence}`,
    ...(guess ? { guess: true as const } : {}),
    ...defined({ menu: menu && menuAnswer(menu, new PlainLines(), questionId) }),
  };
}

/** terminal__read lists the descriptions; repeating them would cost tokens. */
export function withoutDescriptions<F extends Record<string, z.ZodType>>(fields: F): F {
  const bare = Object.entries(fields).map(([name, field]) => [name, field.describe('')]);
  return Object.fromEntries(bare) as F;
}
