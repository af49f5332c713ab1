// Browsers of phones take notifications only from a service worker. It does nothing else.

addEventListener('notificationclick', (event) => {
  event.notification.close();
  event.waitUntil(show(event.notification.data));
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
