import { counted, oneLine, shortened } from '#model';
import { say } from '../page/notices.tsx';
import type { SessionPane } from './session-pane.ts';
import { linesOf } from './typed-input.ts';

/** What lies over the terminal: what it does not show, and what a person can do about it. */
export function Overlays({ pane }: { readonly pane: SessionPane }) {
  const { live, view, newLines, clipboard } = pane;
  return (
    <div class="overlays">
      {live.typed.pasting.value !== null && <PasteProgress pane={pane} />}
      {pane.files.now.value !== null && <FileProgress pane={pane} />}
      {clipboard.value !== null && (
        <button
          type="button"
          class="clip"
          onClick={() => {
            const text = clipboard.value ?? '';
            clipboard.value = null;
            navigator.clipboard.writeText(text).catch(() => say('The browser refused to copy'));
          }}
        >
          {copyText(clipboard.value)}
        </button>
      )}
      {view.isHeld.value && (
        <button type="button" onClick={() => view.release()}>
          Held while text is selected: go on
        </button>
      )}
      {!view.isFollowing.value && (
        <button type="button" onClick={() => view.toEnd()}>
          {newLines.value > 0
            ? `↓ ${counted(newLines.value.toLocaleString('en'), 'new line')}`
            : '↓ to the end'}
        </button>
      )}
    </div>
  );
}

/** The text of the button that copies what a program wants in the clipboard: how much it is, and how it begins. */
function copyText(text: string): string {
  const { length } = new TextEncoder().encode(text);
  const [first = '', ...others] = linesOf(text.trimStart());
  const lines = others.length > 0 ? ` in ${counted(others.length + 1, 'line')}` : '';
  return `Copy ${counted(length, 'byte')}${lines} from the program: ${oneLine(shortened(first, 60))}`;
}

function PasteProgress({ pane }: { readonly pane: SessionPane }) {
  const { typed } = pane.live;
  const { done = 0, total = 1 } = typed.pasting.value ?? {};
  return <Progress what="Pasting" {...{ done, total }} cancel={() => typed.cancelPaste()} />;
}

function FileProgress({ pane }: { readonly pane: SessionPane }) {
  const { name = '', done = 0, total = 0 } = pane.files.now.value ?? {};
  const what = `Sending ${oneLine(shortened(name, 40))}`;
  // An empty file has no progress.
  return <Progress {...{ what, done, total: total || 1 }} cancel={() => pane.files.cancel()} />;
}

interface ProgressProps {
  readonly what: string;
  readonly done: number;
  readonly total: number;
  readonly cancel: () => void;
}

const Progress = ({ what, done, total, cancel }: ProgressProps) => (
  <p class="pasting" role="status">
    {what}
    <progress max={total} value={done} aria-label={what} />
    <button type="button" onClick={cancel}>
      Cancel
    </button>
  </p>
);
