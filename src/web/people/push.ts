import { type Me, me, posted } from '../link/login.ts';
import { isPushed, startedWorker } from '../page/notify.ts';

/** Whether this browser can get push messages: at https addresses and on this machine. */
export const canPush = 'serviceWorker' in navigator && 'PushManager' in window;

/** What the server offers to this login; null if nothing. @throws Error if nothing answers */
export async function pushOffer(): Promise<Me['push'] | null> {
  const offer = (await me())?.push ?? null;
  if (offer === null || !canPush) return offer;
  const own = await (await startedWorker()).pushManager.getSubscription();
  const isOn = offer.isOn && own !== null;
  // The browser has ended it, as when its person withdrew the permission.
  if (offer.isOn && !isOn) await posted('/push', null);
  isPushed.value = isOn;
  return { ...offer, isOn };
}

/**
 * Asks the browser for push messages, and the server to send them.
 *
 * @param key the server's public key
 * @param content whether they tell what is asked and where
 * @throws Error that says why not
 */
export async function beginPush(key: string, content: boolean): Promise<void> {
  if ((await Notification.requestPermission()) !== 'granted') {
    throw new Error('This browser does not allow the page to notify you: see its settings.');
  }
  const { pushManager } = await startedWorker();
  const before = await pushManager.getSubscription();
  if (before !== null && !isOf(before, key)) await before.unsubscribe();
  const options = { userVisibleOnly: true, applicationServerKey: key };
  const subscription = await pushManager.subscribe(options).catch((error: Error) => {
    throw new Error(`This browser's push service does not answer: ${error.message}`);
  });
  try {
    await posted('/push', { subscription, content });
    isPushed.value = true;
  } catch (error) {
    await subscription.unsubscribe();
    throw error;
  }
}

/** Ends the push messages of this browser. @throws Error that says why not */
export async function endPush(): Promise<void> {
  await posted('/push', null);
  isPushed.value = false;
  const subscription = await (await startedWorker()).pushManager.getSubscription();
  await subscription?.unsubscribe();
}

/** Whether a subscription was made with a key. An earlier daemon had another one. */
function isOf({ options: { applicationServerKey } }: PushSubscription, key: string): boolean {
  if (applicationServerKey === null) return false;
  const text = btoa(String.fromCharCode(...new Uint8Array(applicationServerKey)));
  return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '') === key;
}
