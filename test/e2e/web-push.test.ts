import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CDPSession, Worker } from 'playwright-core';
import { describe, expect, onTestFinished } from 'vitest';
import { Place } from '../support/command/vtr-command.ts';
import { isInstalled, needs } from '../support/run/needs.ts';
import { inBrowser, openPage, type WebPage } from '../support/web/browser.ts';
import { PushBrowser, type PushService, servePush } from '../support/web/push-browser.ts';

/** A daemon whose page offers push messages by a service on loopback, which its own configuration allows. */
async function pushPlace(): Promise<{ readonly place: Place; readonly service: PushService }> {
  const service = await servePush();
  const place = new Place(onTestFinished, { NODE_EXTRA_CA_CERTS: service.caFile });
  const directory = join(place.directory, 'config/vtr');
  mkdirSync(directory, { recursive: true });
  const lines = ['web_push = true', `web_push_services = ["${service.origin}"]`];
  writeFileSync(join(directory, 'server.toml'), lines.join('\n'));
  return { place, service };
}

/**
 * Lets a page subscribe. Chromium without a window has no push service of its own, so what it returns is the
 * subscription of a browser that the test plays; all else is the page's own.
 */
async function letSubscribe({ page, origin }: WebPage, endpoint: string, browser: PushBrowser) {
  await page.context().grantPermissions(['notifications'], { origin });
  await page.addInitScript(`{
    let own = null;
    const keys = ${JSON.stringify(browser.keys)};
    PushManager.prototype.getSubscription = async () => own;
    PushManager.prototype.subscribe = async ({ applicationServerKey }) => {
      window.keyOfServer = applicationServerKey;
      own = {
        toJSON: () => ({ endpoint: ${JSON.stringify(endpoint)}, keys }),
        options: { applicationServerKey: null },
        unsubscribe: async () => { own = null; return true; },
      };
      return own;
    };
  }`);
  await page.reload();
}

interface Delivered {
  readonly worker: Worker;
  /** Gives a message to the service worker of the page, as the browser does. */
  deliver(text: string): Promise<void>;
}

async function workerOf({ page, origin }: WebPage): Promise<Delivered> {
  const session: CDPSession = await page.context().newCDPSession(page);
  const registered = new Promise<string>((resolve) => {
    session.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      const [own] = registrations.filter(({ scopeURL }) => scopeURL.startsWith(origin));
      if (own !== undefined) resolve(own.registrationId);
    });
  });
  await session.send('ServiceWorker.enable');
  const registrationId = await registered;
  const worker = page.context().serviceWorkers()[0];
  if (worker === undefined) throw new Error('the page has no service worker');
  await worker.evaluate(notificationsOfTest);
  return {
    worker,
    async deliver(data) {
      await session.send('ServiceWorker.deliverPushMessage', { origin, registrationId, data });
    },
  };
}

/** Chromium without a window shows no notification, and has no badge: the worker's calls are kept in place of it. */
const notificationsOfTest = `{
  const shown = [];
  const { prototype } = ServiceWorkerRegistration;
  prototype.getNotifications = async ({ tag } = {}) =>
    shown.filter((each) => tag === undefined || each.tag === tag);
  prototype.showNotification = async (title, options) => {
    const close = () => void shown.splice(shown.indexOf(notification), 1);
    const notification = { actions: [], ...options, title, close };
    for (const each of await prototype.getNotifications({ tag: options.tag ?? null })) each.close();
    shown.push(notification);
  };
  Object.defineProperty(navigator, 'setAppBadge', { value: async () => {} });
}`;

/** Presses a button of the notification that is shown. */
const press = (worker: Worker, action: string): Promise<void> =>
  worker.evaluate(`(async () => {
    const [notification] = await registration.getNotifications();
    const waitUntil = () => {};
    const event = new Event('notificationclick');
    dispatchEvent(Object.assign(event, { notification, action: '${action}', waitUntil }));
  })()`);

const shownIn = (worker: Worker): Promise<unknown[]> =>
  worker.evaluate(`(async () => (await registration.getNotifications()).map(
    ({ title, body, tag, actions }) => ({ title, body, tag, actions: actions.map(({ title }) => title) })))()`);

describe('[S3.32] a device that is notified while no page is open', () => {
  const it = isInstalled('openssl') ? inBrowser : needs('openssl');
  it('is told what a session asks, and answers by a button', async () => {
    const { place, service } = await pushPlace();
    const browser = new PushBrowser();
    const shown = await openPage(place);
    const { page } = shown;
    await letSubscribe(shown, `${service.origin}/phone`, browser);
    await page.locator('main.grid').waitFor();
    const settings = async () => {
      await page.getByRole('button', { name: 'Menu' }).click();
      await page.getByRole('button', { name: 'Settings' }).click();
    };
    await settings();
    const device = page.getByRole('checkbox', { name: 'Notify this device' });
    const isNotified = async () => (await place.json('web', 'logins')).logins[0].notified;
    await device.check();
    await expect.poll(isNotified).toBe(true);
    await device.uncheck();
    await expect.poll(isNotified).toBe(false);
    await device.check();
    await expect.poll(() => service.received.length).toBe(2);
    await page.getByRole('checkbox', { name: 'With the question' }).check();
    await expect.poll(isNotified).toBe(true);
    expect(statSync(`${place.socket}.web`).mode & 0o777).toBe(0o600);
    const { worker, deliver } = await workerOf(shown);
    // The page is in view: it shows what asks.
    await deliver(JSON.stringify({ tag: 'a', title: 'vtr', body: 'A session asks', asks: 1 }));
    expect(await shownIn(worker)).toEqual([]);
    await page.goto('about:blank');

    const ask = 'printf "Go on? [y/N] "; read x; echo "got $x"; exec cat';
    await place.ok('spawn', 'deploy', '--', 'sh', '-c', ask);
    await expect.poll(() => service.received.length, { timeout: 20_000 }).toBe(3);
    const message = browser.decrypted(service.received[2]?.body ?? Buffer.alloc(0));
    await deliver(message);
    await expect
      .poll(() => shownIn(worker))
      .toEqual([
        {
          title: 'deploy waits for input',
          body: 'Go on? [y/N]',
          tag: JSON.parse(message).tag,
          actions: ['y', 'n'],
        },
      ]);
    await press(worker, 'y');
    await place.ok('wait', 'deploy', '^got y', '--since', 'start');
    // The answer withdraws the question, also on other devices.
    await expect.poll(() => service.received.length).toBe(4);
    const end = JSON.parse(browser.decrypted(service.received[3]?.body ?? Buffer.alloc(0)));
    expect(end).toEqual({ tag: JSON.parse(message).tag, asks: 0 });
    await deliver(message);
    await expect.poll(() => shownIn(worker)).toHaveLength(1);
    await deliver(JSON.stringify(end));
    await expect.poll(() => shownIn(worker)).toEqual([]);

    // Another answer comes too late, and the device says so.
    await deliver(message);
    await expect.poll(() => shownIn(worker)).toHaveLength(1);
    await press(worker, 'n');
    await expect
      .poll(() => shownIn(worker))
      .toEqual([expect.objectContaining({ title: 'Not answered' })]);
    // The browser has lost its subscription: the page tells vtr.
    await page.goto(`${shown.origin}/#/`);
    await settings();
    await expect.poll(isNotified).toBe(false);
    await expect.poll(() => device.isChecked()).toBe(false);
    expect(shown.problems).toEqual([]);
  });
});
