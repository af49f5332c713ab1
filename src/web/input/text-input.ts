import type { KeyPress } from '#model';
import type { Scrolling } from '../terminal/screen-view.ts';
import { type KeyContext, keyPressOf, typedChange, useOfKey } from './key-events.ts';

/** What a person types, for the program, and what they ask of the page. */
export interface InputListener {
  /** What decides whom a key is for. */
  context(): Pick<KeyContext, 'isTyping' | 'hasLines'>;
  key(press: KeyPress): void;
  /** Typed by an input method, dictated, or inserted. */
  text(text: string): void;
  /** What is being composed by an input method; empty when it is complete or given up. */
  composing(text: string): void;
  paste(text: string): void;
  /** Files or a picture were pasted. */
  files(files: readonly File[]): void;
  /** Shift+Escape: the person leaves the terminal. */
  leave(): void;
  search(): void;
  scroll(way: Scrolling): void;
  /** A key was pressed that nobody gets. */
  unsent(): void;
}

/**
 * Whether letters leave while a word is composed. Keyboards of phones compose every word; those of languages whose
 * characters are chosen from candidates need the whole.
 */
const isAtOnce = (): boolean =>
  matchMedia('(pointer: coarse)').matches &&
  !navigator.languages.some((language) => /^(?:ja|ko|zh)\b/.test(language));

const isMac = /Mac|iP(hone|ad)/.test(navigator.platform);

/** Whether Tab is down: what gets the focus then is on the way through the page. */
let isTabDown = false;
let isTabFollowed = false;

function followTab(): void {
  if (isTabFollowed) return;
  isTabFollowed = true;
  const pressed = ({ key, ctrlKey, altKey, metaKey }: KeyboardEvent) => {
    isTabDown = key === 'Tab' && !ctrlKey && !altKey && !metaKey;
  };
  const released = () => {
    isTabDown = false;
  };
  addEventListener('keydown', pressed, true);
  for (const type of ['keyup', 'pointerdown', 'blur'])
    addEventListener(type, released, type !== 'blur');
}

/**
 * An invisible field that gets what a person types: keys, and text of input methods, which produce no
 * keys. It contains one space, because some keyboards report Backspace only where there is text.
 */
export class TextInput {
  readonly element = document.createElement('textarea');
  readonly #listener: InputListener;
  #isComposing = false;
  /** What the program has of the word that is composed. */
  #composedText = '';
  /** Whether Tab goes on through the page, because it brought the person here and nothing was typed since. */
  #passesTab = false;

  constructor(listener: InputListener) {
    this.#listener = listener;
    const { element } = this;
    element.className = 'keys';
    element.rows = 1;
    for (const attribute of ['autocapitalize', 'autocomplete', 'autocorrect']) {
      element.setAttribute(attribute, 'off');
    }
    element.spellcheck = false;
    this.#reset();
    element.addEventListener('keydown', (event) => this.#keyDown(event));
    element.addEventListener('beforeinput', (event) => this.#beforeInput(event));
    element.addEventListener('compositionstart', () => {
      this.#isComposing = true;
      this.#composedText = '';
      element.value = '';
    });
    element.addEventListener('compositionupdate', ({ data }) => {
      if (isAtOnce()) this.#change(data);
      else listener.composing(data);
    });
    element.addEventListener('compositionend', ({ data }) => {
      this.#isComposing = false;
      listener.composing('');
      if (isAtOnce()) this.#change(data);
      else if (data !== '') listener.text(data);
      // The browser writes the text after this event.
      setTimeout(() => this.#reset());
    });
    element.addEventListener('input', () => {
      if (!this.#isComposing) this.#reset();
    });
    element.addEventListener('paste', (event) => {
      event.preventDefault();
      const text = event.clipboardData?.getData('text/plain') ?? '';
      const files = [...(event.clipboardData?.files ?? [])];
      // Office programs copy text with a picture of it.
      if (text !== '') listener.paste(text);
      else if (files.length > 0) listener.files(files);
    });
    followTab();
    element.addEventListener('focus', () => {
      this.#passesTab = isTabDown;
    });
  }

  /** Says how the session is called. */
  named(name: string): void {
    this.element.ariaLabel = `Input of ${name}. Shift+Escape leaves the terminal.`;
  }

  #keyDown(event: KeyboardEvent): void {
    // 229: an input method has the key, or a phone's keyboard does not tell which one it was.
    if (this.#isComposing || event.isComposing || event.keyCode === 229) return;
    if (this.#isForPage(event)) return;
    const press = keyPressOf(event, { isMac });
    if (press === null) return;
    event.preventDefault();
    this.#listener.key(press);
  }

  /** Whether the browser or the page has the key. */
  #isForPage(event: KeyboardEvent): boolean {
    if (event.key === 'Tab' && isTabDown && this.#passesTab) return true;
    if (!['Shift', 'Control', 'Alt', 'Meta'].includes(event.key)) this.#passesTab = false;
    const hasSelection = !(getSelection()?.isCollapsed ?? true);
    const use = useOfKey(event, { ...this.#listener.context(), isMac, hasSelection });
    if (use === 'type') return false;
    if (use === 'browser') return true;
    event.preventDefault();
    if (use === 'leave' || use === 'search' || use === 'unsent') this.#listener[use]();
    else this.#listener.scroll(use);
    return true;
  }

  #beforeInput(event: InputEvent): void {
    const { inputType } = event;
    // The text of an input method is complete when the composition ends.
    if (inputType === 'insertCompositionText' || this.#isComposing) return;
    event.preventDefault();
    this.#passesTab = false;
    const text = event.data ?? event.dataTransfer?.getData('text/plain') ?? '';
    if (inputType === 'insertLineBreak' || inputType === 'insertParagraph') {
      this.#listener.key({ key: 'enter' });
    } else if (inputType === 'deleteContentForward') this.#listener.key({ key: 'delete' });
    else if (inputType.startsWith('delete')) this.#listener.key({ key: 'backspace' });
    else if (inputType === 'insertFromPaste' || inputType === 'insertFromDrop') {
      if (text !== '') this.#listener.paste(text);
    } else if (text !== '') this.#listener.text(text);
  }

  /** The word that is composed is another one. */
  #change(word: string): void {
    const { backspaces, text } = typedChange(this.#composedText, word);
    this.#composedText = word;
    for (let count = 0; count < backspaces; count++) this.#listener.key({ key: 'backspace' });
    if (text !== '') this.#listener.text(text);
  }

  #reset(): void {
    this.element.value = ' ';
    this.element.setSelectionRange(1, 1);
  }
}
