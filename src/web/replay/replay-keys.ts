import type { ReplayPane } from './replay-pane.ts';

/** How far the arrow keys go, in ms. */
const stepMs = 5_000;

type Act = (pane: ReplayPane) => void;

/** The keys of a replay: those of `vtr play`, and `,` for one change back. */
const acts: Readonly<Record<string, Act>> = {
  ' ': (pane) => pane.toggle(),
  ArrowLeft: (pane) => pane.seek(pane.atMs.value - stepMs),
  ArrowRight: (pane) => pane.seek(pane.atMs.value + stepMs),
  '[': (pane) => pane.toMarker(-1),
  ']': (pane) => pane.toMarker(1),
  ',': (pane) => pane.step(-1),
  '.': (pane) => pane.step(1),
  Home: (pane) => pane.seek(0),
  End: (pane) => pane.seek(pane.durationMs),
  '<': (pane) => pane.changeSpeed(-1),
  '>': (pane) => pane.changeSpeed(1),
};

/** What a key does in elements that use it themselves. */
const ofFields = 'input:not([type=range]), textarea, select, [contenteditable]';
const ofButtons = 'button, a, summary';

/**
 * Makes the keys work wherever the focus is, but in fields; Space presses a button that has the focus.
 *
 * @returns ends that
 */
export function followKeys(
  pane: ReplayPane,
  { search }: { readonly search: () => void },
): () => void {
  const pressed = (event: KeyboardEvent) => {
    const { key, ctrlKey, metaKey, altKey, target } = event;
    const isCommand = ctrlKey || metaKey || altKey;
    const isFind = (ctrlKey || metaKey) && !altKey && key.toLowerCase() === 'f';
    const element = target instanceof Element ? target : document.body;
    const isOwn = element.matches(ofFields) || (key === ' ' && element.matches(ofButtons));
    const isSearch = isFind || (key === '/' && !isCommand && !isOwn);
    const act = isCommand || isOwn || !Object.hasOwn(acts, key) ? undefined : acts[key];
    if (event.defaultPrevented || (!isSearch && act === undefined)) return;
    event.preventDefault();
    if (isSearch) search();
    else act?.(pane);
  };
  addEventListener('keydown', pressed);
  return () => removeEventListener('keydown', pressed);
}
