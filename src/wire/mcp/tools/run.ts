import * as z from 'zod/v4';
import { sanitize } from '#base';
import type { Coordinator, SessionRef } from '#model';
import { promptPatternOf } from '../options.ts';
import { hiddenInLines, hiddenOnScreen, shownLines } from '../reading/hidden-text.ts';
import { budgetOf, excerptFacts, joined, plainText } from '../reading/terminal-text.ts';

import { acts, defineTool } from '../tool.ts';
import { type Ran, runUntilInput } from '../waiting/run-until-input.ts';
import { reporting } from '../waiting/wait-for.ts';
import { budgetFields, exitCode, ms, sessionId, textFields } from './fields.ts';
import { programCwd } from './program-cwd.ts';

export const run = defineTool({
  name: 'terminal__run',
  title: 'Run command',
  description:
    'Run a command line in a session whose shell is at its prompt, and get exit code, its output alone, its directory and duration. Best for commands that end. On awaiting_input or password it asks: see terminal__read, answer by terminal__send. On timed_out it runs on: terminal__wait.',
  annotations: acts,
  isCore: true,
  input: z.strictObject({
    session_id: sessionId,
    line: z.string(),
    timeout_ms: ms().optional().describe('Default 30000'),
    ...budgetFields,
  }),
  output: z.object({
    outcome: z.string(),
    state: z.string().optional(),
    exit_code: exitCode,
    content: z.string(),
    cwd: z.string().nullable(),
    duration_ms: z.int(),
    timeout_ms: z.int(),
    ...textFields,
  }),
  async run({ session_id, line, timeout_ms: timeoutMs = defaultRunMs, ...budget }, caller, call) {
    const { options } = caller;
    const coordinator = await caller.coordinatorOf(session_id);
    const { name, id, pid } = await coordinator.info(session_id);
    const session = { name, id };
    const request = {
      line,
      timeoutMs: Math.min(timeoutMs, options.maxWaitMs),
      ...promptPatternOf(options),
      ...budgetOf(budget),
    };
    const result = await reporting(call, runUntilInput(coordinator, session, request, call.signal));
    const marks = caller.marks.of(id);
    marks.waitMark = result.mark;
    // What is told here is not new to this client any more.
    marks.readMark = result.mark;
    const hiddenText = await isHiddenIn(coordinator, session, result);
    const cwd = result.exitStatus === null ? await programCwd(pid) : null;
    return {
      ...answer(result, hiddenText, cwd),
      ...(await stateOf(coordinator, session, result)),
    };
  },
});

const defaultRunMs = 30_000;

/** Without integration the end of what it wrote is on the screen, and no more is known. */
async function isHiddenIn(
  coordinator: Coordinator,
  session: SessionRef,
  { output, command }: Ran,
): Promise<boolean> {
  if (output.head === '' && output.tail === '') return false;
  const from = command?.from.line ?? null;
  if (from === null) return hiddenOnScreen(coordinator, session);
  const to = command?.to?.line ?? null;
  const range = to === null ? { from } : { from, to: to + 1 };
  return hiddenInLines(coordinator, session, shownLines(output, range));
}

/** @param cwd of the shell, now that the command has run */
function answer(result: Ran, hiddenText: boolean, cwd: string | null) {
  const { outcome, exitCode: code, exitStatus, command, output, gap } = result;
  const facts = { ...excerptFacts(output, gap), hiddenText };
  const { lines: _, ...text } = plainText(joined(output), facts);
  return {
    outcome,
    // A shell that does not mark its commands, and ends by one, ends with its status.
    exit_code: code ?? exitStatus?.code ?? null,
    ...text,
    cwd: plainOrNull(cwd ?? command?.cwd),
    duration_ms: Math.round(command?.durationMs ?? result.elapsedMs),
    timeout_ms: Math.round(result.timeoutMs),
  };
}

/** What a command does that has not ended. */
async function stateOf(coordinator: Coordinator, session: SessionRef, { outcome }: Ran) {
  const hasEnded = outcome === 'finished' || outcome === 'prompt' || outcome === 'exited';
  return hasEnded ? {} : { state: (await coordinator.activity(session)).state };
}

/** The shell tells where it is, and so may any program. */
const plainOrNull = (text: string | null | undefined) => (text ? sanitize(text).text : null);
