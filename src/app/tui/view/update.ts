import type { ViewingState } from '#model';
import { answered } from './answers.ts';
import { withEvent } from './input.ts';
import { layoutOf } from './layout.ts';
import { followed } from './leader-commands.ts';
import { shown } from './loading.ts';
import { rewrapped } from './moving.ts';
import { goneToLine, withCompletion } from './overlay-keys.ts';
import { driverText, othersText, shownPart } from './status-line.ts';
import {
  type Action,
  type Connection,
  type Notification,
  type Step,
  step,
  type ViewState,
  withNotice,
} from './view-state.ts';

/**
 * Returns the state of a view after an action, and what is to be done.
 *
 * @param nowMs in ms since 1970, not before that of the last action
 */
export function update(before: ViewState, action: Action, nowMs: number): Step {
  const { notice } = before;
  const isOver = notice !== null && notice.untilMs <= nowMs;
  const state = { ...before, nowMs, notice: isOver ? null : notice };
  const next = acted(state, action);
  const after = followed(next.state);
  // A key that is sent to the program changes nothing by itself, and needs no picture; nor do other sessions mostly.
  const isQuiet = action.type === 'event' || action.type === 'others';
  const isSame = isQuiet && after === state && !isOver;
  return { ...next, state: isSame ? before : after };
}

function acted(state: ViewState, action: Action): Step {
  switch (action.type) {
    case 'event':
      return withEvent(state, action.event);
    case 'window':
      return resized(state, action);
    case 'screen':
      return withScreen(state, action);
    case 'viewing':
      return withViewing(state, action.viewing);
    case 'session':
      return step({ ...state, session: action.name, activity: action.activity });
    case 'others':
      return withOthers(state, action);
    case 'notification':
      return withNotification(state, action.notification);
    case 'connection':
      return withConnection(state, action.connection);
    case 'notice':
      return step(withNotice(state, action.text));
    case 'question':
      // A person who does something else by now is not interrupted.
      return step(
        state.overlay === null
          ? { ...state, overlay: { ...action, type: 'confirm' } }
          : withNotice(state, action.question),
      );
    case 'time':
      return step(state);
    case 'status':
      return step({ ...state, statusText: action.text });
    case 'page':
      return step({ ...state, overlay: { ...action, top: 0 } });
    case 'completed':
      return step(withCompletion(state, action));
    case 'goTo':
      return goneToLine(state, action.line);
    case 'grepped': {
      const { pattern, matches, isTruncated } = action;
      const overlay = { type: 'results', pattern, matches, isTruncated, selected: 0 } as const;
      return step({ ...state, overlay });
    }
    default:
      return answered(state, action);
  }
}

/** Scroll mode shows the same text in a window of another width. */
function resized(state: ViewState, { size }: Extract<Action, { type: 'window' }>): Step {
  const next = withPart({ ...state, window: size });
  const { scroll } = next;
  if (scroll === null) return step(next);
  return shown(next, rewrapped(scroll, state.window.cols, size.cols));
}

/**
 * A window that is too small says once which part it shows. The session of a person who drives gets
 * the size of the window in a moment.
 */
function withPart(state: ViewState): ViewState {
  const part = shownPart(state, layoutOf(state));
  const watches = state.viewing !== null && !state.viewing.drives;
  return part === '' || !watches ? state : withNotice(state, `too small for the session: ${part}`);
}

function withScreen(state: ViewState, { screen }: Extract<Action, { type: 'screen' }>): Step {
  const next = { ...state, screen };
  const { size } = state.screen ?? { size: null };
  const isSame = size?.cols === screen.size.cols && size.rows === screen.size.rows;
  return step(isSame ? next : withPart(next));
}

/** Tells when the driver changes. */
function withViewing(state: ViewState, viewing: ViewingState): Step {
  const next = { ...state, viewing };
  const text = driverText(next);
  const isChanged = text !== driverText(state);
  // That the person's keys reach the program is usual, whoever types, too.
  const isUsual = viewing.drives && viewing.holds !== true && state.viewing?.holds !== true;
  // Nobody drives a program that has ended.
  if (state.connection.state === 'ended') return step(next);
  if (!isChanged || isUsual) return step(next);
  const part = viewing.drives ? '' : shownPart(next, layoutOf(next));
  return step(withNotice(next, part === '' ? text : `${text} · ${part}`));
}

/** The status line names other sessions; where there is none, what is new is shown for a moment. */
function withOthers(state: ViewState, { others, news }: Extract<Action, { type: 'others' }>): Step {
  const [only, ...more] = news;
  const isSame = others.join() === state.others.join();
  if (isSame && only === undefined) return step(state);
  const next = { ...state, others };
  const isNamed = state.scroll === null && layoutOf(next).status;
  if (only === undefined || isNamed) return step(next);
  const key = state.keys.hint('attach', 'next', 'shows it');
  const one = [`${only.name} ${only.does}`, key].filter((part) => part !== '').join(' · ');
  return step(withNotice(next, more.length > 0 ? othersText(next) : one));
}

/** At most so many notifications of a program are passed on in this time, in ms: its output is not trusted. */
const maxNotifications = 5;
const notificationsMs = 10_000;

function withNotification(state: ViewState, notification: Notification): Step {
  if (state.notifications === 'off') return step(state);
  const { title, body } = notification;
  const text = [title, body].filter((part) => part !== '').join(': ');
  if (state.notifications === 'status') return step(withNotice(state, text));
  const last = state.notifiedMs.filter((atMs) => state.nowMs - atMs < notificationsMs);
  if (last.length >= maxNotifications) {
    return step(withNotice(state, `too many notifications; not passed on: ${text}`));
  }
  const notifiedMs = [...last, state.nowMs];
  return step({ ...state, notifiedMs }, { type: 'notify', notification });
}

function withConnection(state: ViewState, connection: Connection): Step {
  const { state: before } = state.connection;
  const isBack = before === 'lost' && connection.state === 'connected';
  const { scroll } = state;
  // That it ended or is lost is more than what was told before.
  const notice = connection.state === 'connected' ? state.notice : null;
  const next = { ...state, connection, notice };
  if (before === 'silent' && connection.state === 'connected') {
    return step(withNotice(next, 'the coordinator answers again'));
  }
  if (!isBack) return step(next);
  const connected = withNotice(next, 'connected again');
  // Lines that were requested meanwhile never came.
  return scroll === null ? step(connected) : shown(connected, { ...scroll, requests: new Set() });
}
