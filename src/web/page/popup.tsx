import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

interface PopupProps {
  /** The name of the button. */
  readonly label: string;
  /** What the button shows. */
  readonly sign: ComponentChildren;
  /** The class of the button. Default: `icon`. */
  readonly class?: string;
  /** What opens below the button, made when it opens. */
  readonly children: () => ComponentChildren;
}

/**
 * A button that opens a box below it, in the class `menu`. The box closes with Escape, with a click beside it, when the
 * focus leaves it, and when one of its buttons or links without `data-keeps` was pressed.
 */
export function Popup({ label, sign, class: name = 'icon', children }: PopupProps) {
  const isOpen = useSignal(false);
  const element = useRef<HTMLSpanElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  // At once: what a person presses next is for the box, and the focus is not taken from where it went meanwhile.
  useLayoutEffect(() => {
    if (!isOpen.value) return;
    const end = new AbortController();
    const leave = ({ target }: Event) => {
      if (!(target instanceof Node && element.current?.contains(target))) isOpen.value = false;
    };
    const press = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return;
      event.preventDefault();
      isOpen.value = false;
      button.current?.focus();
    };
    addEventListener('pointerdown', leave, { signal: end.signal });
    addEventListener('focusin', leave, { signal: end.signal });
    addEventListener('keydown', press, { signal: end.signal, capture: true });
    const box = element.current?.querySelector<HTMLElement>('.menu');
    box?.addEventListener('click', ({ target }) => {
      const pressed = target instanceof Element ? target.closest('a, button') : null;
      if (pressed === null || pressed.hasAttribute('data-keeps')) return;
      // After what the button does: a form that has gone is not sent.
      setTimeout(() => {
        isOpen.value = false;
      });
    });
    box?.querySelector<HTMLElement>('input, button, a')?.focus();
    return () => end.abort();
  }, [isOpen.value]);
  return (
    <span class="popup" ref={element}>
      <button
        type="button"
        class={name}
        ref={button}
        aria-label={label}
        title={label}
        aria-expanded={isOpen.value}
        onClick={() => {
          isOpen.value = !isOpen.value;
        }}
      >
        {sign}
      </button>
      {isOpen.value && <div class="menu">{children()}</div>}
    </span>
  );
}
