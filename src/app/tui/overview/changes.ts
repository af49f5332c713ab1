import { screenAfter } from '#mirror/frames';
import { questionOf, type RowFrame, type SessionInfo, type SessionsEvent } from '#model';
import type { Entry, OverviewModel, Preview } from './model.ts';

export const keyOf = (link: number, id: string): string => `${link}/${id}`;

/** Returns the model after changes of a coordinator's sessions. */
export function withSessions(
  model: OverviewModel,
  link: number,
  events: readonly SessionsEvent[],
): OverviewModel {
  const entries = new Map(model.entries);
  let { preview } = model;
  let isChanged = false;
  for (const event of events) {
    if (event.type === 'frame') {
      const key = keyOf(link, event.id);
      if (key === model.selected) preview = withFrame(preview, key, event.frame);
      continue;
    }
    isChanged = true;
    if (event.type === 'removed') entries.delete(keyOf(link, event.id));
    else if (event.type === 'session') addTo(entries, model, link, event.session);
    else {
      for (const [key, entry] of entries) if (entry.link === link) entries.delete(key);
      for (const info of event.sessions) addTo(entries, model, link, info);
    }
  }
  const changed = isChanged ? { entries, ...withoutGone(model, entries) } : {};
  return { ...model, ...changed, preview };
}

function addTo(
  entries: Map<string, Entry>,
  model: OverviewModel,
  link: number,
  info: SessionInfo,
): void {
  const key = keyOf(link, info.id);
  const before = model.entries.get(key);
  const isSame = before === undefined || sameQuestion(before.info, info);
  entries.set(key, {
    key,
    link,
    coordinatorName: model.links[link]?.name ?? '',
    info,
    askedAtMs: isSame ? (before?.askedAtMs ?? 0) : model.nowMs,
  });
}

function sameQuestion(a: SessionInfo, b: SessionInfo): boolean {
  const [one, other] = [questionOf(a), questionOf(b)];
  if (one === null || other === null) return one === other;
  return one.kind === other.kind && one.sinceMs === other.sinceMs && one.text === other.text;
}

/** Forgets what belongs to sessions that were removed. */
function withoutGone(
  { marked, lastLines }: OverviewModel,
  entries: ReadonlyMap<string, Entry>,
): Partial<OverviewModel> {
  const isGone = (key: string) => !entries.has(key);
  return {
    ...([...marked].some(isGone)
      ? { marked: new Set([...marked].filter((key) => !isGone(key))) }
      : {}),
    ...([...lastLines.keys()].some(isGone)
      ? { lastLines: new Map([...lastLines].filter(([key]) => !isGone(key))) }
      : {}),
  };
}

/** Returns the preview after a frame; the one before if the frame needs another one before it. */
function withFrame(before: Preview | null, key: string, frame: RowFrame): Preview | null {
  const screen = screenAfter(before?.key === key ? before : null, frame);
  return screen === null ? before : { key, ...screen };
}
