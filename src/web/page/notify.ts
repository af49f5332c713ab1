import { effect, signal } from '@preact/signals';
import type { SessionList } from '../sessions/session-list.ts';
import { go, sessionPath } from './route.ts';

const isKnown = 'Notification' in window;

/** Whether the person can be asked. Browsers allow that only when a button was pressed. */
export const mayAsk = signal(isKnown && Notification.permission === 'default');

export async function askToNotify(): Promise<void> {
  mayAsk.value = (await Notification.requestPermission()) === 'default';
}

/** Notifies the person once when a session begins to want somebody, while the page is not in view. */
export function notifyOf(sessions: SessionList): void {
  let known = new Map<string, number>();
  let isFirst = true;
  effect(() => {
    const all = sessions.all.value;
    if (all === null) return;
    const now = new Map<string, number>();
    for (const { id, name, attention } of all.values()) {
      if (attention === undefined) continue;
      now.set(id, attention.sinceMs);
      const isNew = !isFirst && known.get(id) !== attention.sinceMs;
      if (isNew && document.hidden) notify(name, attention.evidence || attention.kind);
    }
    known = now;
    isFirst = false;
  });
}

function notify(name: string, body: string): void {
  if (!isKnown || Notification.permission !== 'granted') return;
  const notification = new Notification(name, { body, tag: name });
  notification.onclick = () => {
    window.focus();
    go(sessionPath(name));
    notification.close();
  };
}
