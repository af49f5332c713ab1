import type { MouseButtonJson, MouseEventJson } from '#messages';
import type { MouseTracking } from '#model';
import { addressIn } from '../page/route.ts';
import type { CellBox } from '../terminal/font.ts';

export interface MouseOptions {
  /** The element in which the wheel and a finger scroll. */
  readonly around: HTMLElement;
  /** What the program asks for now; `none` while the person does not drive. */
  readonly tracking: () => MouseTracking;
  /**
   * What the wheel sends: events of the mouse, or cursor keys on the alternate screen, which has no lines
   * to scroll to; null if it scrolls the page.
   */
  readonly wheel: () => 'mouse' | 'keys' | null;
  readonly key: (key: 'up' | 'down') => void;
  readonly cell: () => CellBox;
  readonly send: (event: MouseEventJson) => void;
  /** Ends it. */
  readonly signal: AbortSignal;
}

const buttons = ['MOUSE_BUTTON_LEFT', 'MOUSE_BUTTON_MIDDLE', 'MOUSE_BUTTON_RIGHT'] as const;
/** The way of a wheel that is one event, in CSS pixels. */
const wheelStep = 40;

/**
 * Sends what a person does with the mouse to the program, if it asks for that. With shift the mouse is
 * the page's: it selects text.
 */
export function followMouse(screen: HTMLElement, options: MouseOptions): void {
  const { around, tracking, cell, send, signal } = options;
  let lastButton: MouseButtonJson | null = null;
  let last = '';
  let turned = 0;
  const placeOf = ({ clientX, clientY }: Pick<MouseEvent, 'clientX' | 'clientY'>) => {
    const { left, top, width, height } = screen.getBoundingClientRect();
    const box = cell();
    const within = (value: number, size: number) => Math.max(0, Math.min(value, size - 1));
    return {
      row: Math.floor(within(clientY - top, height) / box.height),
      col: Math.floor(within(clientX - left, width) / box.width),
    };
  };
  const modifiers = ({ shiftKey: shift, altKey: alt, ctrlKey: ctrl }: MouseEvent) => ({
    shift,
    alt,
    ctrl,
  });
  const scroll = (wheel: 'mouse' | 'keys', isDown: boolean, place: object) => {
    const action = isDown ? 'MOUSE_ACTION_SCROLL_DOWN' : 'MOUSE_ACTION_SCROLL_UP';
    if (wheel === 'keys') options.key(isDown ? 'down' : 'up');
    else send({ action, ...place });
  };
  const isForProgram = (event: MouseEvent) => tracking() !== 'none' && !event.shiftKey;

  screen.addEventListener('mousedown', (event) => {
    if (!isForProgram(event)) return;
    event.preventDefault();
    lastButton = buttons[event.button] ?? null;
    if (lastButton === null) return;
    send({
      action: 'MOUSE_ACTION_PRESS',
      button: lastButton,
      ...placeOf(event),
      ...modifiers(event),
    });
  });
  const release = (event: MouseEvent) => {
    if (lastButton === null) return;
    send({
      action: 'MOUSE_ACTION_RELEASE',
      button: lastButton,
      ...placeOf(event),
      ...modifiers(event),
    });
    lastButton = null;
  };
  // It may happen outside of the screen.
  addEventListener('mouseup', release, { signal });
  screen.addEventListener('mousemove', (event) => {
    const mode = tracking();
    if (mode !== 'any' && !(mode === 'button' && lastButton !== null)) return;
    const place = placeOf(event);
    const key = `${place.row},${place.col}`;
    if (key === last) return;
    last = key;
    const button = lastButton ?? 'MOUSE_BUTTON_NONE';
    send({ action: 'MOUSE_ACTION_MOVE', button, ...place, ...modifiers(event) });
  });
  screen.addEventListener('contextmenu', (event) => {
    if (isForProgram(event)) event.preventDefault();
  });
  around.addEventListener(
    'wheel',
    (event) => {
      const wheel = event.shiftKey ? null : options.wheel();
      if (wheel === null) return;
      event.preventDefault();
      const step = event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? 1 : wheelStep;
      turned += event.deltaY * step;
      for (; Math.abs(turned) >= wheelStep; turned -= Math.sign(turned) * wheelStep) {
        scroll(wheel, turned > 0, { ...placeOf(event), ...modifiers(event) });
      }
    },
    { passive: false },
  );
  // A finger moves the text, as elsewhere on a phone.
  let touchedY: number | null = null;
  around.addEventListener(
    'touchstart',
    ({ touches }) => {
      touchedY = touches.length === 1 ? (touches[0]?.clientY ?? null) : null;
    },
    { passive: true },
  );
  around.addEventListener(
    'touchmove',
    (event) => {
      const wheel = options.wheel();
      const touch = event.touches[0];
      if (wheel === null || touchedY === null || touch === undefined) return;
      event.preventDefault();
      const { height } = cell();
      for (; Math.abs(touchedY - touch.clientY) >= height; ) {
        const isDown: boolean = touchedY > touch.clientY;
        touchedY -= isDown ? height : -height;
        scroll(wheel, isDown, placeOf(touch));
      }
    },
    { passive: false },
  );
}

/** What a person drops on a terminal. */
interface DropListener {
  readonly paste: (text: string) => void;
  readonly files: (files: readonly File[]) => void;
}

/**
 * Tells of text and files that are dropped on a terminal, but not of what was dragged from there: that happens while a
 * person selects. A tile that is dropped is for the view side by side.
 */
export function followDrops(terminal: HTMLElement, { paste, files }: DropListener): void {
  let isOwn = false;
  terminal.addEventListener('dragstart', () => {
    isOwn = true;
  });
  terminal.addEventListener('dragend', () => {
    isOwn = false;
  });
  const has = ({ dataTransfer }: DragEvent, type: string): boolean =>
    !isOwn && (dataTransfer?.types.includes(type) ?? false);
  terminal.addEventListener('dragover', (event) => {
    if (has(event, 'Files') || has(event, 'text/plain')) event.preventDefault();
  });
  terminal.addEventListener('drop', (event) => {
    const { dataTransfer } = event;
    if (dataTransfer === null) return;
    if (has(event, 'Files')) {
      event.preventDefault();
      files([...dataTransfer.files]);
      return;
    }
    if (!has(event, 'text/plain')) return;
    if (addressIn(dataTransfer.getData('text/uri-list')) !== null) return;
    event.preventDefault();
    paste(dataTransfer.getData('text/plain'));
  });
}
