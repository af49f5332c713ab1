import * as z from 'zod/v4';
import type { RunResult } from '#model';
import { budgetFields, exitCode, sessionId, textFields } from '../fields.ts';
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
    const { id } = await coordinator.info(session_id);
    const result = await reporting(
      call,
      coordinator.run(session_id, {
        line,
        timeoutMs: Math.min(timeoutMs, options.maxWaitMs),
        signal: call.signal,
        ...promptPatternOf(options),
        ...budgetOf(budget),
      }),
    );
    places.of(id).waitMark = result.mark;
    return answer(result);
  },
});

const defaultRunMs = 30_000;

function answer(result: RunResult) {
  const { outcome, exitCode: code, command, output, gap, elapsedMs, timeoutMs } = result;
  const { lines: _, ...text } = plainText(joined(output), excerptFacts(output, gap));
  return {
    outcome,
    exit_code: code,
    ...text,
    cwd: command?.cwd ?? null,
    duration_ms: Math.round(command?.durationMs ?? elapsedMs),
    timeout_ms: Math.round(timeoutMs),
  };
}
