import type { KeyPress, MouseInput, Sender } from '#model';
import type {
  MenuItem,
  MenuRequest,
  PopupRequest,
  PromptRequest,
  ShownPopup,
} from '../state/client-terminal.ts';
import type { TmuxServer } from '../state/tmux-server.ts';
import type { TmuxSession } from '../state/tmux-session.ts';
import type { TmuxPane } from '../state/tmux-window.ts';
import { MenuOverlay, type Overlay, PaneNumbers, PopupOverlay } from './overlays.ts';
import type { PaneTyping } from './pane-typing.ts';
import { Prompt } from './prompt.ts';
import type { Message } from './status-line.ts';

interface DialogParts {
  readonly server: TmuxServer;
  /** The session that the client shows. */
  readonly session: () => TmuxSession;
  readonly typing: PaneTyping;
  /** Something is to be drawn again. */
  readonly changed: () => void;
  /** Keys are for what was opened from now on. */
  readonly opened: () => void;
}

/** What a client shows for a moment: a message, a prompt, and a menu, a popup or the numbers of panes. */
export class ClientDialogs {
  message: Message | null = null;
  prompt: Prompt | null = null;
  overlay: Overlay | null = null;
  readonly #parts: DialogParts;
  #messageTimer: NodeJS.Timeout | null = null;

  constructor(parts: DialogParts) {
    this.#parts = parts;
  }

  dispose(): void {
    if (this.#messageTimer !== null) clearTimeout(this.#messageTimer);
    this.prompt?.cancel();
    this.overlay?.close();
  }

  /**
   * Handles a key.
   *
   * @param rawPress as it was pressed
   * @returns `taken`; `answered` if it has ended a prompt and then does what it does; `passes` if it is for the windows
   */
  press(rawPress: KeyPress, press: KeyPress, name: string): 'taken' | 'answered' | 'passes' {
    this.#clearMessage();
    if (this.overlay !== null) {
      const passes = this.overlay.press(rawPress, name);
      this.#parts.changed();
      if (!passes) return 'taken';
    }
    if (this.prompt === null) return 'passes';
    const step = this.prompt.press(press, name);
    this.#parts.changed();
    return step === 'passes' ? 'answered' : 'taken';
  }

  /** @returns whether it was for a dialog */
  mouse(event: MouseInput): boolean {
    if (this.overlay === null) return false;
    this.overlay.mouse(event);
    this.#parts.changed();
    return true;
  }

  /** @returns whether it was for a dialog */
  paste(text: string): boolean {
    const { overlay, prompt } = this;
    if (overlay === null && prompt === null) return false;
    if (overlay !== null) overlay.paste(text);
    else prompt?.paste(text);
    this.#parts.changed();
    return true;
  }

  tell(text: string, ms: number, isPlain: boolean): void {
    if (this.#messageTimer !== null) clearTimeout(this.#messageTimer);
    this.#messageTimer = null;
    this.message = { text, isPlain };
    if (ms > 0) this.#messageTimer = setTimeout(() => this.#clearMessage(), ms).unref();
    this.#parts.changed();
  }

  ask(request: PromptRequest): Promise<string | null> {
    return new Promise((resolve) => {
      this.prompt?.cancel();
      this.#clearMessage();
      const { options } = this.#parts.session();
      const prompt: Prompt = new Prompt(request, {
        history: this.#parts.server.answers,
        isVi: options.text('status-keys') === 'vi',
        answer: (text) => {
          if (this.prompt === prompt) this.prompt = null;
          this.#parts.changed();
          resolve(text);
        },
      });
      this.prompt = prompt;
      this.#opens();
    });
  }

  choose(request: MenuRequest): Promise<MenuItem | null> {
    const mode = () => this.#parts.session().current.window.options.text('mode-style');
    return this.#over<MenuItem>((chosen) => new MenuOverlay(request, mode, chosen));
  }

  choosePane(ms: number, takesKeys: boolean): Promise<TmuxPane | null> {
    const chosen = this.#over<TmuxPane>(
      (done) =>
        new PaneNumbers(
          {
            takesKeys,
            panes: () => this.#parts.session().current.window.panes,
            colours: () => {
              const { options } = this.#parts.session();
              const names = ['display-panes-active-colour', 'display-panes-colour'] as const;
              return [options.text(names[0]), options.text(names[1])];
            },
          },
          done,
        ),
    );
    const overlay = this.overlay;
    if (ms > 0) {
      setTimeout(() => {
        if (this.overlay === overlay) overlay?.close();
      }, ms).unref();
    }
    return chosen;
  }

  popup(request: PopupRequest): ShownPopup | null {
    if (this.overlay !== null) return null;
    const { session } = request;
    const { coordinator } = this.#parts.server.programs;
    const send = (act: (sender: Sender) => Promise<unknown>) =>
      this.#parts.typing.send(session, null, act);
    const popup: PopupOverlay = new PopupOverlay(
      request,
      {
        keys: (keys) => send((sender) => coordinator.sendKeys(session, keys, sender)),
        text: (text) =>
          send((sender) => coordinator.sendText(session, text, { paste: 'supported', ...sender })),
        mouse: (event) => send((sender) => coordinator.sendMouse(session, [event], sender)),
      },
      () => {
        if (this.overlay === popup) this.overlay = null;
        this.#parts.changed();
      },
    );
    this.overlay = popup;
    this.#opens();
    return popup;
  }

  closeOverlay(): void {
    this.overlay?.close();
  }

  #over<Choice>(
    make: (chosen: (choice: Choice | null) => void) => Overlay,
  ): Promise<Choice | null> {
    return new Promise((resolve) => {
      this.overlay?.close();
      this.#clearMessage();
      const overlay: Overlay = make((choice) => {
        if (this.overlay === overlay) this.overlay = null;
        this.#parts.changed();
        resolve(choice);
      });
      this.overlay = overlay;
      this.#opens();
    });
  }

  /** Keys are for what was opened from now on. */
  #opens(): void {
    this.#parts.opened();
    this.#parts.changed();
  }

  #clearMessage(): void {
    if (this.#messageTimer !== null) clearTimeout(this.#messageTimer);
    this.#messageTimer = null;
    if (this.message === null) return;
    this.message = null;
    this.#parts.changed();
  }
}
