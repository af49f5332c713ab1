import * as z from 'zod/v4';
import { sanitize } from '#base';
import type { Coordinator, SessionRef } from '#model';
import { promptPatternOf } from '../options.ts';
import { hiddenOnScreen, hidesText } from '../reading/hidden-text.ts';
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
    'Run a command line in a session at its shell prompt; returns its exit code, output alone, directory and duration. Best for commands that end. On awaiting_input or password it needs input: see terminal__read, answer with terminal__send. On timed_out it still runs: use terminal__wait.',
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
    // The view `new` does not repeat this output.
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

/** Without shell integration only the screen can be checked: the command's output is not known. */
async function isHiddenIn(
  coordinator: Coordinator,
  session: SessionRef,
  { output, command }: Ran,
): Promise<boolean> {
  const { head, tail } = output;
  if (head === '' && tail === '') return false;
  if (command === null) return hiddenOnScreen(coordinator, session);
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
function answer(result: Ran, hiddenText: boolean, cwd: string | null) {
  const { outcome, exitCode: code, exitStatus, command, output, gap } = result;
  const facts = { ...excerptFacts(output, gap), hiddenText };
  const { lines: _, ...text } = plainText(joined(output), facts);
  return {
    outcome,
    // A shell without integration that exits has the status of its last command.
    exit_code: code ?? exitStatus?.code ?? null,
    ...text,
    cwd: plainOrNull(cwd ?? command?.cwd),
    duration_ms: Math.round(command?.durationMs ?? result.elapsedMs),
    timeout_ms: Math.round(result.timeoutMs),
  };
}

/** Returns the session's state if the command still runs. */
async function stateOf(coordinator: Coordinator, session: SessionRef, { outcome }: Ran) {
  const hasEnded = outcome === 'finished' || outcome === 'prompt' || outcome === 'exited';
  return hasEnded ? {} : { state: (await coordinator.activity(session)).state };
}

/** Sanitized, because any program can report a directory. */
const plainOrNull = (text: string | null | undefined) => (text ? sanitize(text).text : null);
