import { useEffect, useRef } from 'preact/hooks';
import { commandText, directoryOf, questionOf, type SessionInfo, stateText } from '#model';
import { type App, addressOf } from '../page/app.ts';
import { onTheme } from '../page/device.ts';
import { Evidence } from '../page/evidence.tsx';
import { sessionPath } from '../page/route.ts';
import { Answer } from './answer.tsx';
import { TilePicture } from './tile-picture.ts';

const personText = ({ driver }: SessionInfo): string =>
  driver?.kind === 'person' ? `${driver.name || 'somebody'} drives` : '';

/** What a screen reader tells of a tile. */
const described = (info: SessionInfo): string =>
  [info.attention?.evidence, stateText(info), commandText(info)].filter(Boolean).join(', ');

/** A session in the grid: its state, a live picture, and a field for an answer if it asks. */
export function Tile({ app, info }: { readonly app: App; readonly info: SessionInfo }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const { id, attention, size } = info;
  const name = addressOf(app, info.name);
  useEffect(() => {
    const element = canvas.current;
    if (element === null) return;
    const picture = new TilePicture(element);
    let hide: (() => void) | null = null;
    const seen = new IntersectionObserver(([entry]) => {
      if (entry?.isIntersecting === true) hide ??= app.sessions.show(info, picture);
      else {
        hide?.();
        hide = null;
      }
    });
    const sized = new ResizeObserver(() => picture.refresh());
    const offTheme = onTheme(() => picture.refresh());
    seen.observe(element);
    sized.observe(element);
    return () => {
      seen.disconnect();
      sized.disconnect();
      offTheme();
      hide?.();
    };
  }, [app, id]);
  const asks = questionOf(info);
  const wants = attention?.kind;
  return (
    <li class={`tile ${wants === undefined ? info.state : 'wants'} ${wants ?? ''}`}>
      <a href={sessionPath(name)} aria-label={name} aria-description={described(info)}>
        <span class="head">
          <b>{name}</b>
          <span class="state">{wants ?? stateText(info)}</span>
        </span>
        <canvas ref={canvas} style={{ aspectRatio: `${size.cols} / ${size.rows * 2}` }} />
        {attention !== undefined && <Evidence {...attention} />}
        <span class="what">{commandText(info)}</span>
        <span class="where">
          {[directoryOf(info), personText(info)].filter(Boolean).join(' · ')}
        </span>
      </a>
      {app.me.write && asks !== null && (wants === 'input' || wants === 'password') && (
        <Answer key={`${asks.sinceMs} ${asks.text}`} app={app} info={info} question={asks} />
      )}
    </li>
  );
}
