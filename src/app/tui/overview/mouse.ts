import type { MouseInput } from '#model';
import { layoutOf } from './drawing/layout.ts';
import { isOwn, moved } from './list-mode.ts';
import type { OverviewModel } from './model.ts';
import { keyAt } from './rows.ts';
import { type Step, step } from './step.ts';
import { movedInFinds } from './typing.ts';

/** A second click on the same row within this time attaches, in ms. */
const doubleClickMs = 500;

/** A click selects, a second one attaches; the wheel moves the selection. */
export function mouseEvent(model: OverviewModel, mouse: MouseInput): Step {
  const { mode } = model;
  if (mode.type !== 'list' && mode.type !== 'filter' && mode.type !== 'found') return step(model);
  if (mouse.action === 'scrollUp' || mouse.action === 'scrollDown') {
    const by = mouse.action === 'scrollUp' ? -1 : 1;
    return mode.type === 'found' ? movedInFinds(model, mode, by) : moved(model, by);
  }
  const { list } = layoutOf(model);
  const isInside =
    mouse.row >= list.row &&
    mouse.row < list.row + list.rows &&
    mouse.col >= list.col &&
    mouse.col < list.col + list.cols;
  if (mouse.action !== 'press' || (mouse.button ?? 'left') !== 'left' || !isInside) {
    return step(model);
  }
  if (mode.type === 'found') return step(model);
  return clicked(model, keyAt(model.rows, model.top + mouse.row - list.row));
}

function clicked(model: OverviewModel, key: string | null): Step {
  if (key === null) return step(model);
  const { lastClick, nowMs } = model;
  const isSecond = lastClick?.key === key && nowMs - lastClick.atMs <= doubleClickMs;
  const after: OverviewModel = {
    ...model,
    selected: key,
    selectedAtMs: 0,
    awaited: null,
    lastClick: isSecond ? null : { key, atMs: nowMs },
  };
  return isSecond && !isOwn(model, key)
    ? step(after, { type: 'attach', key, as: 'auto' })
    : step(after);
}
