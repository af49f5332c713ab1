// The service worker of the page: notifications, which phones take only from one, push messages, and the page's own files
// for when vtr does not answer. It keeps nothing else: no session, no answer of the server.

/** Changes with the files of the page (scripts/steps/web-page.mjs): a new version replaces this one at once. */
const version = 'VERSION';
/** The scripts that the page loads on demand. */
const later = 'LATER'.split(' ');
const shell = `vtr-${version}`;

addEventListener('install', (event) => {
  event.waitUntil(keepShell());
});

addEventListener('activate', (event) => {
  event.waitUntil(takeOver());
});

/** Keeps the page, the files that it names, and what it loads on demand. */
async function keepShell() {
  const page = await fetch('/', { cache: 'no-cache' });
  const names = (await page.clone().text()).match(/\/(?:assets\/[^"]+|icon\.svg)/g) ?? [];
  const cache = await caches.open(shell);
  await cache.put('/', page);
  await cache.addAll([...names, ...later]);
  await skipWaiting();
}

async function takeOver() {
  for (const name of await caches.keys()) if (name !== shell) await caches.delete(name);
  await clients.claim();
}

addEventListener('fetch', (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== 'GET' || origin !== location.origin) return;
  if (request.mode === 'navigate' && pathname === '/') event.respondWith(page(request));
  else if (pathname.startsWith('/assets/')) event.respondWith(asset(request));
});

/** The page as it is now; the kept one only if nothing answers, or a proxy says that nothing does. */
async function page(request) {
  try {
    const answer = await fetch(request);
    if (![502, 503, 504].includes(answer.status)) return answer;
    return (await caches.match('/')) ?? answer;
  } catch (error) {
    const kept = await caches.match('/');
    if (kept === undefined) throw error;
    return kept;
  }
}

/** The name of an asset changes with its content. */
async function asset(request) {
  return (await caches.match(request)) ?? fetch(request);
}

addEventListener('push', (event) => {
  event.waitUntil(pushed(event.data.json()));
});

/** Shows what the daemon tells (`src/wire/web/push/messages.ts`), unless the page is in view, or the question has gone. */
async function pushed({ tag, asks, title, body, path, answers = [], session, question }) {
  // Only an installed page has an icon.
  await navigator.setAppBadge?.(asks).catch(() => {});
  const tabs = await clients.matchAll({ type: 'window', includeUncontrolled: true });
  const isInView = tabs.some(({ visibilityState }) => visibilityState === 'visible');
  if (title === undefined || isInView) {
    for (const shown of await registration.getNotifications({ tag })) shown.close();
    return;
  }
  await registration.showNotification(title, {
    body,
    tag,
    renotify: true,
    icon: '/icons/icon-192.png',
    data: { path, session, question },
    actions: answers.map(({ reply, title: text }) => ({ action: reply, title: text })),
  });
}

/** The browser has replaced its subscription. */
addEventListener('pushsubscriptionchange', (event) => {
  event.waitUntil(subscribeAgain(event));
});

async function subscribeAgain({ newSubscription, oldSubscription }) {
  const { pushManager } = registration;
  const subscription = newSubscription ?? (await pushManager.subscribe(oldSubscription.options));
  await post('/push', { subscription });
}

addEventListener('notificationclick', (event) => {
  const { notification, action } = event;
  notification.close();
  event.waitUntil(action === '' ? show(notification.data.path) : answer(notification.data, action));
});

/** Answers a question by a button of its notification; says so if that fails. */
async function answer({ path, session, question }, reply) {
  const input = `web-${crypto.randomUUID()}`;
  const response = await post('/push/answer', { session, question, reply, input }).catch(
    () => null,
  );
  if (response?.ok) return;
  const body = response === null ? 'vtr does not answer' : (await response.text()).trim();
  await registration.showNotification('Not answered', { body, data: { path } });
}

const post = (path, body) =>
  fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

/** Shows a view of the page in its tab, or in a new one. */
async function show(path) {
  const [tab] = await clients.matchAll({ type: 'window', includeUncontrolled: true });
  if (tab === undefined) {
    await clients.openWindow(`/${path}`);
    return;
  }
  tab.postMessage({ path });
  await tab.focus();
}
