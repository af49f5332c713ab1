import * as z from 'zod/v4';
import { sanitize } from '#base';
import type { Coordinator, RunResult, SessionRef } from '#model';
import { budgetFields, exitCode, sessionId, textFields } from '../fields.ts';
import { hiddenInLines, hiddenOnScreen, shownLines } from '../hidden-lines.ts';
import { promptPatternOf } from '../options.ts';
import { excerptFacts, joined, plainText } from '../terminal-text.ts';
import { acts, defineTool } from '../tool.ts';
import { reporting } from '../waiting.ts';
import { budgetOf } from '../within-budget.ts';

export const run = defineTool({
  name: 'terminal__run',
  title: 'Run command',
  description:
    'Run a command line in a session whose shell is at its prompt, and get exit code, its output alone, directory and duration. Best for commands that end; on timed_out it runs on: use terminal__wait.',
  annotations: acts,
  isCore: true,
  input: z.strictObject({
    session_id: sessionId,
    line: z.string(),
    timeout_ms: z.int().min(0).optional().describe('Default 30000'),
    ...budgetFields,
  }),
  output: z.object({
    outcome: z.string(),
    exit_code: exitCode,
    content: z.string(),
    cwd: z.string().nullable(),
    duration_ms: z.int(),
    timeout_ms: z.int(),
    ...textFields,
  }),
  async run({ session_id, line, timeout_ms: timeoutMs = defaultRunMs, ...budget }, caller, call) {
    const { options, places } = caller;
    const coordinator = await caller.coordinatorOf(session_id);
    const { name, id } = await coordinator.info(session_id);
    const result = await reporting(
      call,
      coordinator.run(
        { name, id },
        {
          line,
          timeoutMs: Math.min(timeoutMs, options.maxWaitMs),
          signal: call.signal,
          ...promptPatternOf(options),
          ...budgetOf(budget),
        },
      ),
    );
    places.of(id).waitMark = result.mark;
    return answer(result, await isHiddenIn(coordinator, { name, id }, result));
  },
});

const defaultRunMs = 30_000;

/** Without integration the end of what it wrote is on the screen, and no more is known. */
async function isHiddenIn(
  coordinator: Coordinator,
  session: SessionRef,
  { output, command }: RunResult,
): Promise<boolean> {
  if (output.head === '' && output.tail === '') return false;
  const from = command?.from.line ?? null;
  if (from === null) return hiddenOnScreen(coordinator, session);
  const to = command?.to?.line ?? null;
  const range = to === null ? { from } : { from, to: to + 1 };
  return hiddenInLines(coordinator, session, shownLines(output, range));
}

function answer(result: RunResult, hiddenText: boolean) {
  const { outcome, exitCode: code, command, output, gap, elapsedMs, timeoutMs } = result;
  const facts = { ...excerptFacts(output, gap), hiddenText };
  const { lines: _, ...text } = plainText(joined(output), facts);
  return {
    outcome,
    exit_code: code,
    ...text,
    cwd: plainOrNull(command?.cwd),
    duration_ms: Math.round(command?.durationMs ?? elapsedMs),
    timeout_ms: Math.round(timeoutMs),
  };
}

/** The shell tells where it is, and so may any program. */
const plainOrNull = (text: string | null | undefined) => (text ? sanitize(text).text : null);
