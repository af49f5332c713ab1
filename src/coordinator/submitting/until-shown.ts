import type { Clock, Disposable } from '#base';
import type { Session } from '#session';
import type { AgentSource, ShownScreen } from '#watch';

/** Returns the screen of a session as questions are read from it. */
export const screenOf = ({ view }: Session): ShownScreen => ({
  rows: view.screenRows(),
  cells: (row) => view.rowCells(row),
  cursor: view.terminal.cursor,
});

/**
 * Waits until a session shows what a test looks for.
 *
 * @param test called at once, and after each event of the session
 * @param ms how long to wait
 * @param agent after whose changes it is called, too
 * @returns whether it was shown in time; false also if the program has ended
 */
export function untilShown(
  session: Session,
  clock: Clock,
  test: () => boolean,
  ms: number,
  agent?: AgentSource,
): Promise<boolean> {
  if (test()) return Promise.resolve(true);
  const { view } = session;
  return new Promise((resolve) => {
    const parts: Disposable[] = [];
    const end = (isShown: boolean) => {
      for (const part of parts) part.dispose();
      resolve(isShown);
    };
    const check = () => {
      if (view.exitStatus !== null) end(false);
      else if (test()) end(true);
    };
    parts.push(
      clock.schedule(ms, () => end(false)),
      view.onEvent(check),
    );
    if (agent !== undefined) parts.push(agent.onChange(check));
  });
}
