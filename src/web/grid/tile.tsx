import { useLayoutEffect, useRef } from 'preact/hooks';
import {
  agentQuestion,
  commandText,
  isShownLabel,
  type Need,
  needOf,
  type SessionInfo,
  stateSinceMs,
  stateText,
} from '#model';
import { More } from '../actions/more-menu.tsx';
import { AnswerCard } from '../agents/answer-card.tsx';
import { askedBy } from '../agents/answering.ts';
import { onLook } from '../look/look.ts';
import { Age } from '../page/age.tsx';
import { type App, addressOf } from '../page/app.ts';
import { Evidence, Told } from '../page/evidence.tsx';
import { watchView } from '../page/in-view.ts';
import { keptWord } from '../page/kept.ts';
import { gridPath, sessionPath } from '../page/route.ts';
import { placeText } from './session-filter.ts';
import { TilePicture } from './tile-picture.ts';

/** How sessions are shown: with a picture, without one, in a row each. */
export const densities = ['tiles', 'compact', 'list'] as const;
export const density = keptWord('grid.density', densities);

/** The most pictures that are live at once: as many as a large screen shows. */
const maxLive = 64;

let liveCount = 0;

/** Shows the session's screen on a canvas while that is in view. */
function showPicture(app: App, info: SessionInfo, canvas: HTMLCanvasElement): () => void {
  const picture = new TilePicture(canvas);
  let end: (() => void) | null = null;
  const hide = () => {
    if (end === null) return;
    end();
    end = null;
    liveCount--;
    // A picture that nobody sees takes no memory.
    canvas.width = 0;
    canvas.height = 0;
  };
  const unwatch = watchView(canvas, (isInView) => {
    if (!isInView) hide();
    else if (end === null && liveCount < maxLive) {
      liveCount++;
      end = app.sessions.show(info, picture);
    }
  });
  const sizes = new ResizeObserver(() => picture.refresh());
  const offLook = onLook(() => picture.refresh());
  sizes.observe(canvas);
  return () => {
    unwatch();
    sizes.disconnect();
    offLook();
    hide();
  };
}

const personText = ({ driver }: SessionInfo): string =>
  driver?.kind === 'person' ? `${driver.name || 'somebody'} drives` : '';

/** Why a session wants somebody; of an agent that asks, its question with the choices. */
const saysOf = ({ attention, agent }: SessionInfo): string =>
  (agent?.state === 'asks' && agentQuestion(agent)) || (attention?.evidence ?? '');

/** What a screen reader tells of a tile. */
const described = (info: SessionInfo): string =>
  [saysOf(info), stateText(info), commandText(info)].filter(Boolean).join(', ');

/** Returns the title that a program has set, unless it says no more than what else is shown. */
function titleText(info: SessionInfo): string {
  const { title, name } = info;
  return title === name || title === commandText(info) ? '' : title;
}

/** The class of a dot or a chip. */
const dots: Readonly<Record<Need, string>> = {
  asks: 'asks',
  failed: 'failed',
  done: 'done',
  busy: 'running',
  unknown: '',
  idle: '',
  ended: '',
};

/** Attentions whose reason names the command. */
const namesCommand: ReadonlySet<string | undefined> = new Set(['failed', 'done', 'prompt']);

/** For how long something is new, in ms. Not for the sessions of a machine whose clock differs by more. */
const freshMs = 2_000;

const isFresh = (attention: SessionInfo['attention']): boolean =>
  attention !== undefined && Math.abs(Date.now() - attention.sinceMs) < freshMs;

interface TileProps {
  readonly app: App;
  readonly info: SessionInfo;
  /** Whether it is a row, whatever the person has chosen. */
  readonly isRow: boolean;
}

/** A session in the grid: its state, a live picture, and its question if it asks. */
export function Tile({ app, info, isRow }: TileProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const { id, attention } = info;
  const shape = isRow ? 'list' : density.value;
  // In the frame of the browser that shows the tile, and not after it: pictures are asked for before all else.
  useLayoutEffect(
    () => (canvas.current === null ? undefined : showPicture(app, info, canvas.current)),
    [app, id, shape],
  );
  const name = addressOf(app, info.name);
  const need = needOf(info);
  const wants = attention?.kind;
  const hasCard = app.me.write && askedBy(info) !== null;
  const title = titleText(info);
  return (
    <li
      class={`tile in-${shape} ${need} ${wants ?? info.state}${isFresh(attention) ? ' fresh' : ''}`}
      data-session={name}
    >
      <a href={sessionPath(name)} aria-label={name} aria-description={described(info)}>
        <span class="head">
          <i class={`dot ${dots[need]}`} />
          <b class="cut" title={name}>
            {name}
          </b>
          <span class="state">
            {info.agent === undefined ? (wants ?? stateText(info)) : stateText(info)}
          </span>
          <Age atMs={attention?.sinceMs ?? stateSinceMs(info)} />
        </span>
        {shape === 'tiles' && <canvas ref={canvas} />}
        {attention !== undefined && !hasCard && <Evidence {...attention} evidence={saysOf(info)} />}
        <Told info={info} />
        {title !== '' && <span class="title">{title}</span>}
        {!namesCommand.has(wants) && <span class="what">{commandText(info)}</span>}
        <span class="where">
          {[placeText(app, info), personText(info)].filter(Boolean).join(' · ')}
        </span>
      </a>
      <Labels info={info} />
      <More app={app} info={info} />
      <AnswerCard app={app} info={info} hasScreen />
    </li>
  );
}

/** The labels of a session. Each shows the sessions that have it. */
function Labels({ info: { labels = {} } }: { readonly info: SessionInfo }) {
  const shown = Object.entries(labels).filter(([key]) => isShownLabel(key));
  if (shown.length === 0) return null;
  return (
    <span class="labels">
      {shown.map(([key, value]) => {
        const text = value === '' ? key : `${key}=${value}`;
        return (
          <a
            key={key}
            class="chip"
            href={gridPath({ query: text })}
            title={`Sessions with ${text}`}
          >
            {text}
          </a>
        );
      })}
    </span>
  );
}
