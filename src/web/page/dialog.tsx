import { signal } from '@preact/signals';
import type { ComponentChildren, FunctionComponent } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

/** What lies over the page: one dialog or menu at a time. */
const shown = signal<{ readonly Content: FunctionComponent; readonly id: number } | null>(null);
let lastId = 0;

/** Opens a dialog in place of the one that is open. @param Content renders a {@link Dialog} */
export function openDialog(Content: FunctionComponent): void {
  shown.value = { Content, id: ++lastId };
}

export function closeDialog(): void {
  shown.value = null;
}

/** Whether a dialog is the one that is open. */
export const isOpen = (Content: FunctionComponent): boolean => shown.value?.Content === Content;

export const isDialogOpen = (): boolean => shown.value !== null;

/** The place of the dialog in the page. */
export function Dialogs() {
  const now = shown.value;
  return now === null ? null : <now.Content key={now.id} />;
}

interface DialogProps {
  readonly label: string;
  /** Default: `dialog`. */
  readonly class?: string;
  /** Its place in the window, in CSS pixels. Default: the middle. */
  readonly at?: { readonly left: number; readonly top: number };
  readonly children: ComponentChildren;
}

/**
 * A dialog: the rest of the page does nothing until it is closed, by Escape, a click beside it, or its buttons. The focus
 * returns to where it was.
 */
export function Dialog({ label, class: name = 'dialog', at, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  // At once: what a person types next is for the dialog.
  useLayoutEffect(() => {
    const before = document.activeElement;
    const dialog = element.current;
    dialog?.showModal();
    // The first button may be at the end of a long text.
    dialog?.scrollTo(0, 0);
    return () => {
      // Beside a modal dialog nothing takes the focus.
      dialog?.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={element}
      class={name}
      aria-label={label}
      style={at === undefined ? {} : { left: `${at.left}px`, top: `${at.top}px`, margin: 0 }}
      onClose={() => {
        // Another dialog may have taken its place.
        if (element.current !== null) closeDialog();
      }}
      onPointerDown={({ clientX, clientY }) => {
        const box = element.current?.getBoundingClientRect();
        if (box !== undefined && isOutside(box, clientX, clientY)) closeDialog();
      }}
    >
      {children}
    </dialog>
  );
}

const isOutside = ({ left, right, top, bottom }: DOMRect, x: number, y: number): boolean =>
  x < left || x > right || y < top || y > bottom;

interface FormDialogProps {
  readonly title: string;
  /** Its name for screen readers, in which no field's name occurs. Default: the title. */
  readonly label?: string;
  /** The name of the button that does it. */
  readonly action: string;
  /** Why it could not be done; empty for nothing. */
  readonly problem: string;
  readonly isBusy: boolean;
  readonly onSubmit: () => void;
  readonly children: ComponentChildren;
}

/** A dialog with fields, a button that does something with them, and one that does not. */
export function FormDialog(props: FormDialogProps) {
  const { title, label = title, action, problem, isBusy, onSubmit, children } = props;
  return (
    <Dialog label={label}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (!isBusy) onSubmit();
        }}
      >
        <header>{title}</header>
        {children}
        {problem !== '' && (
          <p class="error" role="alert">
            {problem}
          </p>
        )}
        <div class="actions">
          <button type="button" onClick={closeDialog}>
            Cancel
          </button>
          <button type="submit" class="primary" aria-disabled={isBusy}>
            {action}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

interface FieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** What it is for, below it. */
  readonly hint?: string;
  readonly placeholder?: string;
  /** The id of a `datalist` with values to choose from. */
  readonly list?: string;
}

/** The field of a dialog for the name of a session or a recording. */
export function NameField({ value, onChange }: Pick<FieldProps, 'value' | 'onChange'>) {
  return <Field label="Name" value={value} hint="Letters, digits and . _ -" onChange={onChange} />;
}

/** A field of a dialog. The first one has the focus. */
export function Field({ label, value, onChange, hint, placeholder, list }: FieldProps) {
  return (
    <label class="field">
      <span>{label}</span>
      <input
        aria-label={label}
        value={value}
        placeholder={placeholder}
        list={list}
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
        onInput={({ currentTarget }) => onChange(currentTarget.value)}
      />
      {hint !== undefined && <span class="help">{hint}</span>}
    </label>
  );
}
