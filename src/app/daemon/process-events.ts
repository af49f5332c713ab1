import { type Disposable, toDisposable } from '#base';

/** A request to stop, from a signal or a call, whichever comes first. */
export interface StopSignal {
  /** Resolves at the first request. */
  readonly called: Promise<void>;
  readonly now: () => void;
  dispose(): void;
}

const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/** Requests a stop at SIGTERM, SIGINT and SIGHUP. Further signals are logged and have no effect. */
export function stopSignal(log: (line: string) => void): StopSignal {
  let now = () => {};
  const called = new Promise<void>((resolve) => {
    now = resolve;
  });
  const onSignal = (signal: NodeJS.Signals) => {
    log(`${signal}: ending all sessions; this may take a few seconds`);
    now();
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
