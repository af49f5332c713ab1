import { type Disposable, toDisposable } from '#base';

const events = ['uncaughtException', 'unhandledRejection'] as const;

/**
 * Goes on after a defect that nobody caught. To end would be cleaner, and would end every session of
 * every user of this daemon with it.
 */
export function surviveFaults(tell: (error: unknown) => void): Disposable {
  for (const event of events) process.on(event, tell);
  return toDisposable(() => {
    for (const event of events) process.off(event, tell);
  });
}
