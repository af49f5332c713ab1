import { signal, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import type * as OnDemand from '../on-demand.ts';
import { closeDialog, isOpen, openDialog } from './dialog.tsx';
import { say } from './notices.tsx';

type Script = typeof OnDemand;

/** The script of what the first view does not need; null until it is loaded. */
const script = signal<Script | null>(null);
let loading: Promise<Script> | null = null;

/** Loads the script, once. A load that failed is tried again. @throws TypeError if nothing answers, or it is gone */
export function loadLater(): Promise<Script> {
  loading ??= import('../on-demand.ts').then(
    (all) => {
      script.value = all;
      return all;
    },
    (error) => {
      loading = null;
      throw error;
    },
  );
  return loading;
}

const failed = 'This part of the page did not load. Load the page again.';

/** Does something with the script, at once if it is loaded. Until then, no key acts but Escape, which gives up. */
export async function later(act: (script: Script) => void): Promise<void> {
  if (script.value !== null) {
    act(script.value);
    return;
  }
  const waits = () => <Waits />;
  openDialog(waits);
  const loaded = await loadLater().catch(() => null);
  if (!isOpen(waits)) return;
  closeDialog();
  if (loaded === null) say(failed);
  else act(loaded);
}

/** Keeps keys from acting on the page below a dialog that is not there yet. */
function Waits() {
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      event.preventDefault();
      event.stopImmediatePropagation();
      if (event.key === 'Escape') closeDialog();
    };
    addEventListener('keydown', pressed, true);
    return () => removeEventListener('keydown', pressed, true);
  }, []);
  return null;
}

/** Renders something of the script when it is loaded. */
export function Later({ show }: { readonly show: (script: Script) => ComponentChildren }) {
  const problem = useSignal('');
  useEffect(() => {
    loadLater().catch(() => {
      problem.value = failed;
    });
  }, []);
  if (script.value !== null) return <>{show(script.value)}</>;
  if (problem.value === '') return <p class="empty">Loading…</p>;
  return (
    <main class="empty">
      <p role="alert">{problem.value}</p>
      <button type="button" onClick={() => location.reload()}>
        Load the page again
      </button>
    </main>
  );
}
