import { signal } from '@preact/signals';
import { defined, ownTimers } from '#base';
import type { KeyPress, Size } from '#model';
import { followDrops, followMouse } from '../input/mouse-events.ts';
import { TextInput } from '../input/text-input.ts';
import { onLook } from '../look/look.ts';
import { settings } from '../look/settings.ts';
import type { App } from '../page/app.ts';
import { isPhone } from '../page/device.ts';
import { later } from '../page/later.tsx';
import { say } from '../page/notices.tsx';
import { notify } from '../page/notify.ts';
import { TerminalFont } from '../terminal/font.ts';
import { openLinks } from '../terminal/open-links.ts';
import { ScreenView } from '../terminal/screen-view.ts';
import { Announcer } from './announcer.ts';
import { FileSending } from './file-sending.ts';
import { LiveSession } from './live-session.ts';
import { PredictedTyping } from './predicted-typing.ts';
import { ScrollMarks } from './scroll-marks.ts';
import { asksBeforePaste } from './typed-input.ts';

export interface PaneOptions {
  readonly app: App;
  readonly host: HTMLElement;
  readonly sessionId: string;
  /** Whether its program has ended, which the person sees anyway. */
  readonly hasEnded: boolean;
  /** Whether it is the pane that the person uses, of several. Default: it always is. */
  readonly isActive?: () => boolean;
  /** The person leaves the terminal with the keyboard. */
  readonly onLeave: () => void;
}

/** Whether a person looks at this page: it is in view and has the focus. */
const isLookedAt = (): boolean => !document.hidden && document.hasFocus();

/** How the screen of a session lies in its element. */
export interface Frame extends Size {
  /** Whether the session has the size of the element. */
  readonly isFitting: boolean;
  /** Where there is room for a label outside the screen. */
  readonly place: 'below' | 'beside' | null;
  /** The right and the lower edge of the screen, in CSS pixels from the corner of the element. */
  readonly right: number;
  readonly bottom: number;
}

const noFrame: Frame = { cols: 0, rows: 0, isFitting: true, place: null, right: 0, bottom: 0 };
/** What a label at the frame takes, in CSS pixels. */
const labelRoom = { width: 240, height: 36, space: 8 };
const always = () => true;
const noKeys = { ctrl: false, alt: false };
/** Programs draw everything anew for each size: a window that is being resized has the last one. In ms. */
const resizedMs = 100;
/** How often it is told how many lines there are, in ms. */
const linesMs = 300;
/** The time between two frames of a browser, in ms. */
const frameMs = 16;

/** A live session in an element: its screen and lines, keys, mouse and size. */
export class SessionPane {
  readonly live: LiveSession;
  readonly view: ScreenView;
  readonly input: TextInput;
  readonly files: FileSending;
  /** Lines that came since the person scrolled up. */
  readonly newLines = signal(0);
  /** Whether the program has the whole screen, so that there are no lines above it. */
  readonly isFullScreen = signal(false);
  /** Whether long lines are wrapped, in a font that can be read, in place of the screen as it is. */
  readonly isReading = signal(false);
  /** How the screen of the session lies in the element. */
  readonly frame = signal<Frame>(noFrame);
  /** Text that the program wants in the clipboard. */
  readonly clipboard = signal<string | null>(null);
  /** The modifiers that the key bar holds for the next key. */
  readonly heldKeys = signal<{ readonly ctrl: boolean; readonly alt: boolean }>(noKeys);
  /** Whether there is something to show. */
  readonly hasLines = signal(false);
  /** Counts the beginnings and ends of commands. */
  readonly marks = signal(0);
  /** Marks beside the scroll bar. */
  readonly scrollMarks = new ScrollMarks();
  /** The lines of the session, as far as the page has them, and as of a moment ago. */
  readonly lines = signal<{ readonly from: number; readonly to: number }>({ from: 0, to: 1 });
  /** Whether the search is shown where there is room for a button only. */
  readonly isSearching = signal(false);
  /** Finds text in the session; null while it is not shown. */
  searchField: HTMLInputElement | null = null;
  readonly #host: HTMLElement;
  readonly #isActive: () => boolean;
  readonly #canType: boolean;
  readonly #terminal = document.createElement('div');
  readonly #announced = document.createElement('div');
  readonly #announcer: Announcer;
  readonly #resizing: ResizeObserver;
  readonly #offLook: () => void;
  #name = '';
  readonly #font: TerminalFont;
  readonly #predicted: PredictedTyping;
  #painting: Promise<void> | null = null;
  #paintedAtMs = 0;
  #shownSize = '';
  #resized: ReturnType<typeof setTimeout> | undefined;
  /** The size that the person has asked for, until the terminal has it. */
  #fitting: Size | null = null;
  #counting: ReturnType<typeof setTimeout> | undefined;
  readonly #end = new AbortController();

  constructor({ app, host, sessionId, hasEnded, onLeave, isActive = always }: PaneOptions) {
    this.#host = host;
    this.#isActive = isActive;
    this.#canType = app.me.write;
    const terminal = this.#terminal;
    terminal.className = 'terminal';
    terminal.role = 'group';
    this.#announced.className = 'announced';
    this.#announced.role = 'log';
    this.#announced.ariaLive = 'polite';
    this.#announced.ariaAtomic = 'true';
    host.append(terminal, this.#announced);
    this.#announcer = new Announcer({
      clock: ownTimers,
      say: (text) => {
        this.#announced.textContent = text;
      },
    });
    this.#font = new TerminalFont(terminal, isPhone());
    this.#font.fit({ cols: 80, rows: 24 });
    this.#predicted = new PredictedTyping({
      screen: () => (this.live.terminal === null ? null : this.view.read(this.live.terminal)),
      underWay: () => this.live.typed.underWay,
      changed: () => this.#paintNow(),
    });
    this.live = new LiveSession({
      link: app.link,
      sessionId,
      size: () => (isPhone() ? this.#sessionSize() : this.#font.fittingSize()),
      isLooking: isLookedAt() && isActive(),
      listener: {
        changed: () => {
          this.#predicted.changed();
          return this.#paint();
        },
        bell: () => this.#flash(),
        clipboard: (text) => {
          this.clipboard.value = text;
        },
        marked: () => {
          this.marks.value++;
        },
        ended: (reason) => {
          if (!hasEnded) say(`${this.#name} ${reason}`);
        },
        notice: say,
        received: (from, note) => this.#received(from, note),
      },
      typing: this.#predicted,
    });
    const { live } = this;
    this.view = new ScreenView(
      terminal,
      (from, to) => live.readLines(from, to),
      (lines) => {
        this.newLines.value = lines;
      },
    );
    this.view.predict = (screen) => this.#predicted.show(screen);
    this.input = new TextInput({
      context: () => ({
        isTyping: live.isTyping.value,
        hasLines: !(live.terminal?.alternate ?? false),
      }),
      key: (press) => this.#typed(isCharacter(press.key) ? press.key : '', () => live.key(press)),
      text: (text) => {
        const isKey = (this.heldKeys.value.ctrl || this.heldKeys.value.alt) && isCharacter(text);
        if (isKey) this.press({ key: text.toLowerCase() });
        else this.#typed(text, () => live.text(text));
      },
      composing: (text) => this.view.compose(text),
      paste: (text) => this.paste(text),
      files: (files) => void this.files.send(files),
      leave: onLeave,
      search: () => this.#search(),
      scroll: (way) => this.view.scroll(way),
      unsent: () => this.#tellUnsent(),
    });
    this.files = new FileSending({
      link: app.link,
      sessionId,
      problem: () => this.#fileProblem(),
      type: (path) => this.paste(path),
    });
    this.view.cursor.append(this.input.element);
    this.input.element.readOnly = !app.me.write;
    this.#followPointer();
    this.#resizing = new ResizeObserver(() => {
      this.#fit();
      clearTimeout(this.#resized);
      this.#resized = setTimeout(() => this.#tellSize(), resizedMs);
    });
    this.#resizing.observe(host);
    this.#offLook = onLook(() => {
      this.view.repaint();
      this.#fit();
      this.#tellSize();
    });
    const until = { signal: this.#end.signal };
    const look = () => live.look(isLookedAt() && isActive());
    for (const type of ['focus', 'blur', 'focusin']) addEventListener(type, look, until);
    const onVisibilityChange = () => {
      look();
      live.inView(!document.hidden);
    };
    document.addEventListener('visibilitychange', onVisibilityChange, until);
    for (const type of ['pointermove', 'keydown', 'wheel'])
      addEventListener(type, () => live.active(), { ...until, passive: true });
    addEventListener('keydown', (event) => this.#pressedOutside(event), until);
    const field = this.input.element;
    field.addEventListener('focus', () => live.focus(true));
    field.addEventListener('blur', () => live.focus(false));
    if (!isPhone() && isActive()) field.focus({ preventScroll: true });
  }

  /** Says how the session is called, at the beginning and when that changes. */
  named(name: string): void {
    this.#name = name;
    this.#terminal.dataset['terminal'] = name;
    this.#terminal.ariaLabel = `Terminal ${name}`;
    this.input.named(name);
  }

  dispose(): void {
    this.#end.abort();
    this.#resizing.disconnect();
    this.#offLook();
    clearTimeout(this.#resized);
    clearTimeout(this.#counting);
    this.#announcer.dispose();
    this.#predicted.dispose();
    this.files.cancel();
    this.live.dispose();
    this.#host.replaceChildren();
  }

  /** Presses a key, with the modifiers that are held. */
  press(key: KeyPress): void {
    const { ctrl, alt } = this.heldKeys.value;
    this.heldKeys.value = noKeys;
    const press = { ...key, ...defined({ ctrl: ctrl || undefined, alt: alt || undefined }) };
    this.#typed(isCharacter(key.key) ? key.key : '', () => this.live.key(press));
  }

  /** Pastes a text, perhaps after a question. */
  paste(text: string): void {
    const paste = (pasted: string) => this.#typed(pasted, () => this.live.paste(pasted));
    const isBracketed = this.live.terminal?.viewModes.bracketedPaste ?? false;
    const asks = settings.value.asksBeforePaste && asksBeforePaste(text, isBracketed);
    if (!asks || !this.#canType) paste(text);
    else void later(({ askToPaste }) => askToPaste({ text, isBracketed, paste }));
  }

  /** Tells the size of this window, unless another view has taken its place: then it has none. */
  #tellSize(): void {
    if (this.#terminal.clientWidth > 0) this.live.resized();
  }

  /** Gives the session the size of this window. */
  fitSession(): void {
    const size = this.#font.fittingSize();
    if (isPhone()) this.#fitting = size;
    this.live.fit(size).catch((error: Error) => {
      this.#fitting = null;
      say(error.message);
    });
  }

  #followPointer(): void {
    const { live, view } = this;
    followMouse(view.screen, {
      around: view.element,
      tracking: () =>
        live.driving.value.drives ? (live.terminal?.viewModes.mouseTracking ?? 'none') : 'none',
      wheel: () => {
        const { terminal } = live;
        if (!live.driving.value.drives || terminal === null) return null;
        if (terminal.viewModes.mouseTracking !== 'none') return 'mouse';
        return terminal.alternate ? 'keys' : null;
      },
      key: (key) => live.key({ key }),
      cell: () => this.#font.cell,
      send: (event) => live.mouse(event),
      signal: this.#end.signal,
    });
    // A click goes to the field, unless it selected text.
    this.#terminal.addEventListener('mouseup', () => {
      if (getSelection()?.isCollapsed ?? true) this.input.element.focus({ preventScroll: true });
    });
    followDrops(this.#terminal, {
      paste: (text) => this.paste(text),
      files: (files) => void this.files.send(files),
    });
    openLinks(this.#terminal);
  }

  /**
   * A key was pressed somewhere in the page. Ctrl+F is that of the page wherever the focus is, but for a terminal that has
   * the keyboard. What is typed while nothing has the focus, as after a selection, is for the terminal.
   */
  #pressedOutside(event: KeyboardEvent): void {
    const { key, ctrlKey, metaKey, altKey, target } = event;
    if (event.defaultPrevented || target === this.input.element || !this.#isActive()) return;
    const isCommand = ctrlKey || metaKey;
    if (isCommand && !altKey && key.toLowerCase() === 'f') {
      event.preventDefault();
      this.#search();
    } else if (target === document.body && !isCommand && !altKey) {
      if (key === 'Enter' || [...key].length === 1) this.input.element.focus();
    }
  }

  /** Another person handed the session over. */
  #received(from: string, note: string): void {
    const text = `${from} handed ${this.#name} to you${note === '' ? '' : `: ${note}`}`;
    say(text);
    if (document.hidden) notify(this.#name, text);
    const { activeElement } = document;
    if (!isPhone() && (activeElement === null || activeElement === document.body))
      this.input.element.focus({ preventScroll: true });
  }

  #search(): void {
    this.isSearching.value = true;
    this.searchField?.focus();
    this.searchField?.select();
  }

  /** Why no file is sent now; null if it can be. */
  #fileProblem(): string | null {
    const { driver, drives } = this.live.driving.value;
    if (!this.#canType) return 'this link only shows the session';
    return driver?.holds && !drives ? `${driver.name} holds the session` : null;
  }

  #tellUnsent(): void {
    say(
      this.#canType
        ? 'Not sent: type a letter or press Enter to begin'
        : 'Not sent: this link only shows the session',
    );
  }

  #typed(text: string, send: () => void): void {
    if (!this.#canType) {
      this.#tellUnsent();
      return;
    }
    this.#announcer.typed(text);
    this.view.release();
    if (!this.view.follows) this.view.toEnd();
    send();
  }

  /**
   * Paints the newest state: the first change at once, others in the next frame of the browser. All who
   * wait share it.
   */
  #paint(): Promise<void> {
    if (this.#painting === null && performance.now() - this.#paintedAtMs > frameMs) {
      this.#paintNow();
      return Promise.resolve();
    }
    this.#painting ??= nextFrame().then(() => {
      this.#painting = null;
      this.#paintNow();
    });
    return this.#painting;
  }

  #paintNow(): void {
    const { terminal } = this.live;
    if (terminal === null || this.#end.signal.aborted) return;
    this.#paintedAtMs = performance.now();
    const { cols, rows } = terminal.size;
    const size = `${cols}x${rows}`;
    if (size !== this.#shownSize) {
      this.#shownSize = size;
      this.#fit();
      // The size that a phone can show is the session's own.
      if (isPhone()) this.#tellSize();
    }
    this.isFullScreen.value = terminal.alternate;
    this.view.show(terminal);
    this.hasLines.value = true;
    this.#announcer.changed(terminal);
    this.#counting ??= setTimeout(() => this.#countLines(), linesMs);
  }

  #countLines(): void {
    this.#counting = undefined;
    const { terminal } = this.live;
    if (terminal === null) return;
    const [from, to] = [terminal.firstLine, terminal.topLine + terminal.size.rows];
    const { lines } = this;
    if (lines.value.from !== from || lines.value.to !== to) lines.value = { from, to };
    this.#placeFrame(terminal.size, this.#font.fittingSize());
  }

  /** The element, the session or the font has another size. */
  #fit(): void {
    if (this.#end.signal.aborted || this.#terminal.clientWidth === 0) return;
    const size = this.live.terminal?.size;
    if (size === undefined) return;
    if (size.cols === this.#fitting?.cols && size.rows === this.#fitting.rows) this.#fitting = null;
    if (this.isReading.value) this.#font.useOwnSize();
    else this.#font.fit(size);
    const own = this.#font.fittingSize();
    const isSmaller = size.cols < own.cols || size.rows < own.rows;
    this.#terminal.classList.toggle('framed', isSmaller && !isPhone());
    this.#terminal.style.setProperty('--cols', String(size.cols));
    this.view.keepEnd();
    this.#placeFrame(size, own);
  }

  /** Notes where there is room for a label at the frame of a screen that is smaller than the element. */
  #placeFrame(size: Size, own: Size): void {
    const { cols, rows } = size;
    const isFitting = cols === own.cols && rows === own.rows;
    const { clientWidth, clientHeight } = this.#terminal;
    const { screen } = this.view;
    const right = screen.offsetLeft + cols * this.#font.cell.width;
    // It lies over the element, which may be scrolled.
    const bottom = Math.min(
      screen.offsetTop + rows * this.#font.cell.height,
      clientHeight - labelRoom.space,
    );
    const isBelow = clientHeight - bottom >= labelRoom.height && right >= labelRoom.width;
    const isBeside = !isBelow && clientWidth - right >= labelRoom.width;
    const place = isPhone() ? null : isBelow ? 'below' : isBeside ? 'beside' : null;
    const last = this.frame.value;
    const isSame = last.cols === cols && last.rows === rows && last.isFitting === isFitting;
    if (isSame && last.place === place && last.right === right && last.bottom === bottom) return;
    this.frame.value = { cols, rows, isFitting, place, right, bottom };
  }

  /** Wraps long lines, or shows the screen as it is. */
  read(isReading: boolean): void {
    this.isReading.value = isReading;
    this.#terminal.classList.toggle('reading', isReading);
    this.#fit();
  }

  /** What a phone tells of its size: that of the session, also while it is being fitted. */
  #sessionSize(): Size {
    return this.#fitting ?? this.live?.terminal?.size ?? { cols: 80, rows: 24 };
  }

  #flash(): void {
    this.#terminal.classList.add('bell');
    setTimeout(() => this.#terminal.classList.remove('bell'), 150);
  }
}

const isCharacter = (text: string): boolean => [...text].length === 1;

/** Resolves in the next frame; in a hidden tab, which has none, after a while. */
function nextFrame(): Promise<void> {
  return new Promise((resolve) => {
    if (document.hidden) setTimeout(resolve, 200);
    else requestAnimationFrame(() => resolve());
  });
}
