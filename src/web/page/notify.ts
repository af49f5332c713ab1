import { effect, signal } from '@preact/signals';
import { type App, addressOf } from './app.ts';
import { go, sessionPath } from './route.ts';

const isKnown = 'Notification' in window && 'serviceWorker' in navigator;
const workerPath = '/notifications.js';

/** Whether the person can be asked. Browsers allow that only when a button was pressed. */
export const mayAsk = signal(isKnown && Notification.permission === 'default');

export async function askToNotify(): Promise<void> {
  mayAsk.value = (await Notification.requestPermission()) === 'default';
}

/**
 * Notifies the person once when a session begins to want somebody, while the page is not in view.
 *
 * @returns ends that
 */
export function notifyOf(app: App): () => void {
  let known = new Map<string, number>();
  let isFirst = true;
  return effect(() => {
    const all = app.sessions.all.value;
    if (all === null) return;
    const now = new Map<string, number>();
    for (const { id, name, attention } of all.values()) {
      if (attention === undefined) continue;
      now.set(id, attention.sinceMs);
      const isNew = !isFirst && known.get(id) !== attention.sinceMs;
      if (isNew && document.hidden) {
        notify(addressOf(app, name), attention.evidence || attention.kind);
      }
    }
    known = now;
    isFirst = false;
  });
}

function notify(name: string, body: string): void {
  if (!isKnown || Notification.permission !== 'granted') return;
  worker ??= startWorker();
  worker
    .then((registered) =>
      registered.showNotification(name, { body, tag: name, data: sessionPath(name) }),
    )
    // The browser refuses: the person sees the session in the page.
    .catch(() => {
      worker = null;
    });
}

let worker: Promise<ServiceWorkerRegistration> | null = null;

/** The part of the browser's trusted types that is used; TypeScript does not know them. */
interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createScriptURL(path: string): string },
  ): { createScriptURL(path: string): string };
}

async function startWorker(): Promise<ServiceWorkerRegistration> {
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
  const policy = trustedTypes?.createPolicy('vtr', { createScriptURL: () => workerPath });
  const path = policy?.createScriptURL(workerPath) ?? workerPath;
  const container = navigator.serviceWorker;
  container.addEventListener('message', ({ data }) => go(String(data.path)));
  await container.register(path);
  return container.ready;
}
