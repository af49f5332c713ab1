import { durationText } from '#base';
import { exitClause, type SessionInfo } from '#model';
import { remove, revive } from '../actions/session-actions.ts';
import { Age } from '../page/age.tsx';
import { type App, addressOf } from '../page/app.ts';
import { go, replayPath } from '../page/route.ts';
import type { SessionPane } from './session-pane.ts';

interface EndedProps {
  readonly app: App;
  readonly info: SessionInfo;
  readonly pane: SessionPane | null;
}

/** How a program has ended, after how long, with its last line, and what a person can do now. */
export function EndedCard({ app, info, pane }: EndedProps) {
  const { exitStatus, exitedAtMs, createdAtMs, fedBy } = info;
  if (exitStatus === null || exitedAtMs === null) return null;
  const isGood = exitStatus.code === 0;
  const last = pane?.hasLines.value ? lastLine(pane) : '';
  const ran = exitedAtMs - createdAtMs;
  return (
    <section class={`ended-card ${isGood ? 'done' : 'failed'}`} aria-label="Ended">
      <i class={`dot ${isGood ? 'done' : 'failed'}`} />
      <p class="how">
        <b>{exitClause(exitStatus)}</b>
        <span class="soft">
          {` after ${durationText(ran)} · `}
          <Age atMs={exitedAtMs} />
        </span>
      </p>
      {last !== '' && <code class="cut">{last}</code>}
      {app.me.scope === 'all' && (
        <span class="actions">
          {fedBy === undefined && (
            <button type="button" class="primary" onClick={() => revive(app, info)}>
              Start again
            </button>
          )}
          <button type="button" onClick={() => go(replayPath(addressOf(app, info.name)))}>
            Open replay
          </button>
          <button type="button" class="danger" onClick={() => remove(app, info)}>
            Remove
          </button>
        </span>
      )}
    </section>
  );
}

/** Returns the last line of the screen that is not blank. */
const lastLine = ({ live }: SessionPane): string =>
  live.terminal
    ?.screenText()
    .findLast((row) => row.trim() !== '')
    ?.trim() ?? '';
