import type { SessionInfo } from '#model';
import type { App } from '../page/app.ts';
import type { SessionPane } from './session-pane.ts';

interface SizeLabelProps {
  readonly app: App;
  readonly pane: SessionPane;
  readonly info: SessionInfo;
  /** At the frame of the screen if there is room, else in the line below the terminal. */
  readonly place: 'frame' | 'hint';
}

/** The size of a session, who gave it that size, and a button that gives it the size of this window. */
export function SizeLabel({ app, pane, info, place }: SizeLabelProps) {
  const { cols, rows, isFitting, place: room, right, bottom } = pane.frame.value;
  const isAtFrame = !isFitting && room !== null;
  if (cols === 0 || isAtFrame !== (place === 'frame')) return null;
  const { sizedBy, driver, drives, name } = pane.live.driving.value;
  // Who gave it a size that it does not have yet, or no longer has, says nothing about this one.
  const isNamed = sizedBy !== null && sizedBy.cols === cols && sizedBy.rows === rows;
  const by = isNamed ? ` · sized by ${sizedBy.name === name ? 'you' : sizedBy.name}` : '';
  const isOthers = driver?.isPerson === true && !drives;
  const mayFit = app.me.scope === 'all' || drives;
  const canFit = !isFitting && app.me.write && mayFit && !isOthers && info.state === 'running';
  const at =
    room === 'below'
      ? { top: `${bottom}px`, width: `${right}px` }
      : { left: `${right}px`, top: `${bottom}px` };
  return (
    <span class="size" data-place={isAtFrame ? room : undefined} style={isAtFrame ? at : {}}>
      {`${cols}×${rows}${by}`}
      {canFit && (
        <>
          {' · '}
          <button
            type="button"
            class="quiet"
            title="Gives the session the size of this window"
            onClick={() => pane.fitSession()}
          >
            Fit
          </button>
        </>
      )}
    </span>
  );
}
