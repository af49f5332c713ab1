import * as z from 'zod/v4';
import { sanitize } from '#base';
import type { ExitStatus, SessionInfo } from '#model';

/** Fields that several tools take or answer. Descriptions are for models, and as short as they can be. */

export const sessionId = z.string().describe('From terminal__create_session');

const count = () => z.int().min(0);

/** A time is never refused: it is made a whole one, from 0 on, and told where it is not as asked for. */
export const ms = () =>
  z
    .number()
    .overwrite((given) => Math.max(0, Math.round(given)))
    .meta({ type: 'integer' });

export const budgetFields = {
  max_lines: count().optional(),
  max_chars: count().optional().describe('Default 30000; omitted tells what is left out'),
};

/** What a call may wait for; the first of it ends the wait. */
export const waitFields = {
  timeout_ms: ms()
    .optional()
    .describe('Longest wait. Default 0 = do not wait, or 30000 with a condition below'),
  wait_idle_ms: ms().optional().describe('Until nothing changes for so long'),
  wait_for_prompt: z
    .boolean()
    .optional()
    .describe('Until a shell asks for a command, or a program for input'),
  wait_for: z
    .array(z.string())
    .optional()
    .describe('Until output matches one of these regexes (RE2)'),
  stop_on: z.array(z.string()).optional().describe('As wait_for, for signs of failure'),
  wait_for_exit: z.boolean().optional(),
  wait_for_command: z.boolean().optional().describe('Until a command of the shell ends'),
};

export const readFields = {
  view: z
    .enum(['screen', 'new', 'scrollback'])
    .optional()
    .describe(
      'screen (default): what is visible, for TUIs. new: output since your last read of it. scrollback: history',
    ),
  format: z.enum(['plain', 'raw']).optional().describe('raw keeps ANSI codes'),
  ...waitFields,
  since: z.string().optional().describe('new: a mark of an earlier read, instead of your last one'),
  offset: count().optional().describe('scrollback: lines from the end'),
  limit: count().optional().describe('scrollback: lines, default 1000'),
  ...budgetFields,
};

export const dimensions = z.object({ rows: z.int(), cols: z.int() });
export const cursor = z.object({ row: z.int(), col: z.int() });
export const exitCode = z.int().nullable();

/** What became of a wait. */
export const waitedFields = {
  outcome: z.string().optional(),
  matched: z.string().optional(),
  timeout_ms: z.int().optional(),
};

/** What is to be known of text that a program wrote. */
export const foundFields = {
  removed: z.int().optional(),
  hidden_text: z.boolean().optional(),
  untrusted: z.literal(true),
};

/** And of how much of it is told. */
export const textFields = {
  omitted: z.object({ lines: z.int(), bytes: z.int() }).optional(),
  lost_lines: z.int().optional(),
  lost_bytes: z.int().optional(),
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

/** How a program ended, in the document's words; the signal only where there was one. */
export function exitAnswer(status: ExitStatus | null) {
  return {
    exited: status !== null,
    exit_code: status?.code ?? null,
    ...(status?.signal == null ? {} : { signal: status.signal }),
  };
}

/** Who made the session has chosen its words, which may be a program that is itself in a session. */
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
