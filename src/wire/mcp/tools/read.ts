import * as z from 'zod/v4';
import {
  cursor,
  dimensions,
  exitFields,
  readFields,
  sessionId,
  textFields,
  waitedFields,
} from '../fields.ts';
import { readEarlier, readSession } from '../reading/read-session.ts';
import { withView } from '../reading/read-view.ts';
import { waitFor } from '../reading/wait-for.ts';
import { defineTool, looks } from '../tool.ts';

const output = z.object({
  content: z.string(),
  changed_rows: z.array(z.int()).optional().describe('Rows in content, from 0; blank ones last'),
  // `from`, `to` and `count`; a schema of each costs too many tokens.
  moved_rows: z.record(z.string(), z.int()).optional(),
  highlighted: z
    .array(z.object({ row: z.int(), text: z.string() }))
    .optional()
    .describe('Rows from 0'),
  lines: z.int(),
  total_lines: z.int().optional(),
  cursor: cursor.nullable().describe('1-based'),
  dimensions,
  has_new_content: z.boolean(),
  prompt_detected: z.boolean(),
  idle: z.boolean(),
  ...exitFields,
  state: z.string(),
  mark: z.string().optional(),
  at: z.string().optional(),
  ...waitedFields,
  ...textFields,
  earlier_lines: z.int().optional(),
  lost_bytes: z.int().optional(),
});

export const read = defineTool({
  name: 'terminal__read',
  title: 'Read',
  description:
    'Read the screen, new output or history of a terminal session (pty, as tmux capture-pane): an interactive program, TUI, REPL (python) or shell. Optionally after a wait (the first condition met ends it; a timeout ends no program).',
  annotations: looks,
  isCore: true,
  input: z.strictObject({
    session_id: sessionId,
    ...readFields,
    at: z.string().optional().describe('Past: -30s, 10:32, command:7'),
  }),
  output,
  never: ['idle'],
  async run({ session_id, ...args }, caller, call) {
    const coordinator = await caller.coordinatorOf(session_id);
    const session = await coordinator.info(session_id);
    const viewed = withView(args);
    const { at } = viewed;
    if (at !== undefined) {
      return readEarlier(coordinator, session, { ...viewed, at }, caller.isLean);
    }
    const waited = await waitFor(coordinator, session, viewed, caller, call);
    return readSession(coordinator, session, viewed, caller, { waited, hasSent: false });
  },
});
