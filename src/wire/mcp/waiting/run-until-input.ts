import {
  asVtrError,
  type Coordinator,
  type RunRequest,
  type RunResult,
  type SessionRef,
  type WaitResult,
} from '#model';
export type Ran = RunResult;

type Asked = Pick<WaitResult, 'question'> & { readonly outcome: 'awaiting_input' | 'password' };

/**
 * Resolves when the shell's current command needs input, or its line is incomplete. Never resolves if
 * the shell does not mark its commands. Rejects after `signal`.
 */
async function whenInputNeeded(
  coordinator: Coordinator,
  session: SessionRef,
  signal: AbortSignal,
): Promise<Asked> {
  for (;;) {
    const { outcome, question = '' } = await coordinator.wait(session, { asks: true, signal });
    if (outcome === 'exited') return new Promise(() => {});
    if (outcome !== 'awaiting_input' && outcome !== 'password') continue;
    const { evidence } = await coordinator.activity(session);
    if (evidence.shellMark === 'command') return { outcome, question };
  }
}

/** Runs a line until it ends or needs input. */
export async function runUntilInput(
  coordinator: Coordinator,
  session: SessionRef,
  request: RunRequest,
  signal: AbortSignal,
): Promise<Ran> {
  const over = new AbortController();
  const running = coordinator.run(session, {
    ...request,
    signal: AbortSignal.any([signal, over.signal]),
  });
  const asked = whenInputNeeded(coordinator, session, over.signal);
  try {
    const first = await Promise.race([running, asked]);
    if ('elapsedMs' in first) return first;
    over.abort();
    // It may have ended at the same moment.
    return await running.catch((thrown) => {
      if (signal.aborted || asVtrError(thrown).code !== 'CANCELLED') throw thrown;
      return untilNow(coordinator, session, request, first);
    });
  } finally {
    over.abort();
    asked.catch(() => {});
  }
}

/** Returns the output so far of a line that still runs; none if the line is incomplete and did not start. */
async function untilNow(
  coordinator: Coordinator,
  session: SessionRef,
  request: RunRequest,
  asked: Asked,
): Promise<Ran> {
  const { mark, revision } = await coordinator.read(session, { maxLines: 0 });
  const known = { ...asked, mark, revision, exitStatus: null, timeoutMs: request.timeoutMs ?? 0 };
  const [command] = (await coordinator.commands(session, { last: 1 })).commands;
  if (command?.state !== 'running') return { ...known, ...nothingYet };
  const { maxLines, maxBytes, keep } = request;
  const { text, ...told } = await coordinator.commandOutput(session, {
    command: command.number,
    ...(maxLines === undefined ? {} : { maxLines }),
    ...(maxBytes === undefined ? {} : { maxBytes }),
    ...(keep === undefined ? {} : { keep }),
  });
  const { exitCode, durationMs: elapsedMs } = told.command;
  return { ...known, ...told, output: text, exitCode, elapsedMs };
}

/** The result of an incomplete line. */
const nothingYet = {
  command: null,
  exitCode: null,
  output: { head: '', tail: '', omitted: null, tokens: 0 },
  openEnd: false,
  gap: { bytes: 0, lines: 0 },
  elapsedMs: 0,
};
