import {
  asVtrError,
  type CommandRecord,
  type Coordinator,
  type RunRequest,
  type RunResult,
  type SessionRef,
} from '#model';
import { type Outcome, whenCommandAsks } from './asking.ts';

export type Ran = Omit<RunResult, 'outcome'> & { readonly outcome: RunResult['outcome'] | Outcome };

/** Runs a line until it has ended, or until it asks for input: it will not end before it has some. */
export async function runOrAsked(
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
  const asked = whenCommandAsks(coordinator, session, over.signal);
  try {
    const first = await Promise.race([running, asked]);
    if (typeof first !== 'string') return first;
    over.abort();
    // Unless it has ended in this very moment.
    return await running.catch((thrown) => {
      if (signal.aborted || asVtrError(thrown).code !== 'CANCELLED') throw thrown;
      return untilNow(coordinator, session, request, first);
    });
  } finally {
    over.abort();
    asked.catch(() => {});
  }
}

/** What has come of the line, which runs on. */
async function untilNow(
  coordinator: Coordinator,
  session: SessionRef,
  request: RunRequest,
  outcome: Outcome,
): Promise<Ran> {
  const { maxLines, maxBytes, keep } = request;
  const { commands } = await coordinator.commands(session, { last: 1 });
  const { number } = commands.at(-1) as CommandRecord;
  const { text, ...told } = await coordinator.commandOutput(session, {
    command: number,
    ...(maxLines === undefined ? {} : { maxLines }),
    ...(maxBytes === undefined ? {} : { maxBytes }),
    ...(keep === undefined ? {} : { keep }),
  });
  const { mark, revision } = await coordinator.read(session, { maxLines: 0 });
  const { command } = told;
  return {
    ...told,
    ...{ outcome, output: text, mark, revision, exitStatus: null, exitCode: command.exitCode },
    timeoutMs: request.timeoutMs ?? 0,
    elapsedMs: command.durationMs,
  };
}
