/** The order to stop, from wherever it comes first. */
export interface StopSignal {
  readonly called: Promise<void>;
  readonly now: () => void;
  dispose(): void;
}

const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/** Stops at SIGTERM, SIGINT and SIGHUP; while it stops, more of them change nothing. */
export function stopSignal(log: (line: string) => void): StopSignal {
  let now = () => {};
  const called = new Promise<void>((resolve) => {
    now = resolve;
  });
  const onSignal = (signal: NodeJS.Signals) => {
    log(`${signal}: ending all sessions, which may take some seconds`);
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
