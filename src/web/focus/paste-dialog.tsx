import { useSignal } from '@preact/signals';
import { counted, oneLine, shortened } from '#model';
import { changeSettings } from '../look/settings.ts';
import { closeDialog, Dialog, openDialog } from '../page/dialog.tsx';
import type { PasteQuestion } from '../page/later.tsx';
import { linesOf } from './typed-input.ts';

/** The lines of a paste that are shown, and the most characters of each. */
const shownLines = 6;
const maxLine = 200;

/** Asks whether a text of several lines is pasted. */
export function askToPaste(question: PasteQuestion): void {
  openDialog(() => <PasteDialog {...question} />);
}

function PasteDialog({ text, isBracketed, paste }: PasteQuestion) {
  const isLast = useSignal(false);
  const lines = linesOf(text);
  const shown = lines.slice(0, shownLines).map((line) => oneLine(shortened(line, maxLine)));
  const rest = lines.length - shown.length;
  const act = (pasted: string) => {
    if (isLast.value) changeSettings({ asksBeforePaste: false });
    closeDialog();
    paste(pasted);
  };
  const title = `Paste ${counted(lines.length.toLocaleString('en'), 'line')}?`;
  return (
    <Dialog label={title}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          act(text);
        }}
      >
        <header>{title}</header>
        {!isBracketed && (
          <p>The program takes each line as if you typed it and pressed Enter. A shell runs it.</p>
        )}
        <pre class="pasted">
          {shown.join('\n')}
          {rest > 0 && (
            <span class="soft">{`\n… ${counted(rest.toLocaleString('en'), 'more line')}`}</span>
          )}
        </pre>
        <label class="check">
          <input
            type="checkbox"
            checked={isLast.value}
            onChange={({ currentTarget }) => {
              isLast.value = currentTarget.checked;
            }}
          />
          Do not ask again
        </label>
        <div class="actions">
          <button type="button" onClick={closeDialog}>
            Cancel
          </button>
          {!isBracketed && (
            <button type="button" onClick={() => act(lines.join(' '))}>
              Paste as one line
            </button>
          )}
          <button type="submit" class="primary" autofocus>
            Paste
          </button>
        </div>
      </form>
    </Dialog>
  );
}
