import { type Disposable, toDisposable } from '#base';

/**
 * Why a daemon ends. `stop`: a call; sessions end, and saved ones are removed. `signal`: sessions end,
 * and the next daemon lists them as ended. `leave`: sessions continue without it. `restart`: as `leave`,
 * and another daemon is started. `superseded`: another daemon has its sessions.
 */
export type StopReason = 'stop' | 'signal' | 'leave' | 'restart' | 'superseded';

/** A request to stop, from a signal or a call, whichever comes first. */
export interface StopSignal {
  /** Resolves at the first request. */
  readonly called: Promise<StopReason>;
  readonly now: (reason: StopReason) => void;
  dispose(): void;
}

const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/**
 * Requests a stop at SIGTERM, SIGINT and SIGHUP. Further signals are logged and have no effect.
 *
 * @param keeps whether SIGTERM leaves the sessions to the next daemon
 */
export function stopSignal(log: (line: string) => void, keeps: boolean): StopSignal {
  let now: StopSignal['now'] = () => {};
  const called = new Promise<StopReason>((resolve) => {
    now = resolve;
  });
  const onSignal = (signal: NodeJS.Signals) => {
    const leaves = keeps && signal === 'SIGTERM';
    log(
      leaves
        ? `${signal}: leaving all sessions to the next daemon`
        : `${signal}: ending all sessions; this may take a few seconds`,
    );
    now(leaves ? 'leave' : 'signal');
  };
  for (const signal of signals) process.on(signal, onSignal);
  return {
    called,
    now,
    dispose: () => {
      for (const signal of signals) process.off(signal, onSignal);
    },
  };
}

const faults = ['uncaughtException', 'unhandledRejection'] as const;

/**
 * Reports uncaught errors and keeps the process running. Exiting would end every session of every
 * client of this daemon.
 */
export function surviveFaults(report: (error: unknown) => void): Disposable {
  for (const event of faults) process.on(event, report);
  return toDisposable(() => {
    for (const event of faults) process.off(event, report);
  });
}
