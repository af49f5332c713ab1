import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Me } from '../link/login.ts';
import { beginPush, canPush, endPush, pushOffer } from './push.ts';

/** Whether this device is notified while no page is open, and of how much. */
export function NotifyDevice() {
  const offer = useSignal<Me['push'] | null>(null);
  const isBusy = useSignal(true);
  const problem = useSignal('');
  /** @param next what is shown until the change is made */
  const act = async (change: () => Promise<void>, next: Partial<NonNullable<Me['push']>> = {}) => {
    isBusy.value = true;
    problem.value = '';
    if (offer.value) offer.value = { ...offer.value, ...next };
    try {
      await change();
    } catch (error) {
      problem.value = (error as Error).message;
    }
    offer.value = await pushOffer().catch(() => null);
    isBusy.value = false;
  };
  useEffect(() => {
    void act(async () => {});
  }, []);
  const { key = '', isOn = false, content = false } = offer.value ?? {};
  const why = isBusy.value ? null : whyNot(offer.value);
  const canChange = key !== '' && canPush && !isBusy.value;
  return (
    <fieldset class="field">
      <legend>Notifications</legend>
      <label class="check">
        <input
          type="checkbox"
          checked={isOn}
          disabled={!canChange}
          onChange={() =>
            void act(() => (isOn ? endPush() : beginPush(key, content)), { isOn: !isOn })
          }
        />
        Notify this device
      </label>
      <label class="check">
        <input
          type="checkbox"
          checked={content}
          disabled={!canChange || !isOn}
          onChange={() => void act(() => beginPush(key, !content), { content: !content })}
        />
        With the question, and buttons to answer it
      </label>
      <span class="help">{why ?? 'When a session asks, also while no page is open.'}</span>
      {problem.value !== '' && (
        <span class="error" role="alert">
          {problem.value}
        </span>
      )}
    </fieldset>
  );
}

/** Returns why this device cannot be notified while no page is open; null if it can. */
function whyNot(offer: Me['push'] | null): string | null {
  if (offer == null) return 'To be notified while no page is open, run vtr web --push.';
  if (canPush) return null;
  return isSecureContext
    ? 'This browser has no push messages. On an iPhone or iPad, add the page to the home screen first.'
    : 'Browsers allow this only at https addresses and on this machine.';
}
