import { constants } from 'node:os';
import { isatty } from 'node:tty';
import { type Disposable, toDisposable } from '#base';
import { asVtrError, errorTable } from '#model';

/** What happens to the terminal when this process is ended, stopped or continued. */
export interface TtyLife {
  /** Restores the terminal. May be called again. */
  leave(): void;
  /** Restores the terminal and calls {@link ProcessEnd.stop}. */
  suspend(): void;
  /** This process was continued, or could not be stopped. May be called again. */
  resume(): void;
}

export interface ProcessEnd extends Disposable {
  /** Ends the process as that signal does. */
  end(signal: NodeJS.Signals): never;
  /**
   * Stops this process and those with which a shell started it, as Ctrl+z does. Nothing stops where no shell
   * could continue it: as the program of a window, or of `ssh -t`.
   */
  stop(): void;
}

const endingSignals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const;

/**
 * Restores the terminal whatever ends the process: a signal, an uncaught error, or an exit. The exit
 * status is as in shells: 128 + n for signal n.
 */
export function onEndOfProcess(life: TtyLife): ProcessEnd {
  const end = (signal: NodeJS.Signals): never => {
    life.leave();
    // Node aborts at its exit if it cannot restore a terminal that has gone.
    if (!isatty(0)) process.removeAllListeners('SIGHUP').kill(process.pid, 'SIGHUP');
    process.exit(128 + constants.signals[signal]);
  };
  const failed = (thrown: unknown): void => {
    life.leave();
    const { message } = asVtrError(thrown);
    const stack = thrown instanceof Error ? `\n${thrown.stack}` : '';
    process.stderr.write(`vtr: ${message}${stack}\n`);
    process.exit(errorTable.INTERNAL_ERROR.exit);
  };
  const leave = () => life.leave();
  const suspend = () => life.suspend();
  const resume = () => life.resume();
  const stop = () => {
    // The system ignores it in a group of processes that nobody would continue, unlike SIGSTOP.
    process.off('SIGTSTP', suspend);
    process.kill(0, 'SIGTSTP');
    process.on('SIGTSTP', suspend);
    resume();
  };
  for (const signal of endingSignals) process.on(signal, end);
  process.on('SIGTSTP', suspend).on('SIGCONT', resume).on('exit', leave);
  process.on('uncaughtException', failed);
  const { dispose } = toDisposable(() => {
    for (const signal of endingSignals) process.off(signal, end);
    process.off('SIGTSTP', suspend).off('SIGCONT', resume).off('exit', leave);
    process.off('uncaughtException', failed);
  });
  return { end, stop, dispose };
}
