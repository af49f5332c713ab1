import { isCharacter, modifierBits } from '#keys';
import { isSize, type MouseButton, type MouseEncoding, type MouseInput } from '#model';
import {
  keyOfControl,
  keyOfCsi,
  keyOfSs3,
  keyOfTypedCode,
  keysOfKittyCode,
} from './key-sequences.ts';
import { isReply, repliesOfString, replyOfCsi } from './replies.ts';
import { type ControlSequence, parameterOf, parametersOf, type Token } from './token.ts';
import { type KeyEvent, pressed, type TtyEvent, type TtyReply, withAlt } from './tty-event.ts';

const escapeCode = 0x1b;

/** Turns tokens into events. */
export class Interpreter {
  /** See TtyDecoder. */
  kittyFlags = 0;
  backspaceCode = 0x7f;
  readonly mouse = new MouseDecoder();

  /** In the kitty protocol, backspace sends DEL. */
  get #backspaceCode(): number {
    return this.kittyFlags === 0 ? this.backspaceCode : 0x7f;
  }

  eventsOf(token: Token, bytes: Uint8Array): TtyEvent[] {
    switch (token.kind) {
      case 'character':
        return isCharacter(token.text)
          ? keyEvents([keyOfCharacter(token.text, token.alt)], bytes)
          : [{ type: 'bytes', bytes }];
      case 'control':
        return keyEvents([keyOfControl(token.code, this.#backspaceCode, token.alt)], bytes);
      case 'csi':
        return this.#eventsOfCsi(token.sequence, token.alt, bytes);
      case 'ss3':
        return this.#eventsOfSs3(token.parameter, token.final, token.alt, bytes);
      case 'mouse': {
        const [code = 0, x = 0, y = 0] = token.values;
        return mouseEvents(this.mouse.ofValues(code, x, y), bytes);
      }
      case 'string': {
        const replies = token.isWhole ? repliesOfString(token.introducer, token.content) : [];
        return replyEvents(replies, bytes);
      }
      case 'pasteBegin':
        return [];
      case 'unknown':
        return [{ type: 'bytes', bytes }];
    }
  }

  #eventsOfCsi(sequence: ControlSequence, alt: boolean, bytes: Uint8Array): TtyEvent[] {
    const keys = this.#keysOfCsi(sequence);
    if (keys) return keyEvents(alt ? keys.map(withAlt) : keys, bytes);
    if (!alt) return this.#otherEventsOfCsi(sequence, bytes);
    // ESC was a key of its own.
    return [
      ...keyEvents([keyOfControl(escapeCode, this.#backspaceCode, false)], bytes.subarray(0, 1)),
      ...this.#otherEventsOfCsi(sequence, bytes.subarray(1)),
    ];
  }

  #keysOfCsi(sequence: ControlSequence): readonly KeyEvent[] | undefined {
    const speaksKitty = this.kittyFlags !== 0;
    if (sequence.prefix === '' && sequence.intermediates === '') {
      const typed = hasSubparameters(sequence) ? undefined : keyOfTypedCode(sequence);
      if (typed && (sequence.final === '~' || !speaksKitty)) return [typed];
      if (sequence.final === 'u') return keysOfKittyCode(sequence, this.kittyFlags);
    }
    const key = keyOfCsi(sequence, speaksKitty);
    return key && [key];
  }

  #otherEventsOfCsi(sequence: ControlSequence, bytes: Uint8Array): TtyEvent[] {
    const { prefix, parameters, intermediates, final } = sequence;
    const mouse = this.mouse.ofSequence(sequence);
    if (mouse) return mouseEvents(mouse, bytes);
    if (prefix + intermediates === '') {
      if (parameters.length === 0 && (final === 'I' || final === 'O')) {
        return [{ type: 'focus', focused: final === 'I' }];
      }
      if (final === 't' && parameterOf(sequence, 0) === 48) {
        const size = { rows: parameterOf(sequence, 1), cols: parameterOf(sequence, 2) };
        // A terminal that is not shown may report no rows, which is nothing that can be painted.
        return isSize(size) ? [{ type: 'size', size }] : replyEvents([], bytes);
      }
    }
    const reply = replyOfCsi(sequence);
    if (reply || isReply(sequence)) return replyEvents(reply ? [reply] : [], bytes);
    return [{ type: 'bytes', bytes }];
  }

  #eventsOfSs3(parameter: string, final: string, alt: boolean, bytes: Uint8Array): TtyEvent[] {
    const key = keyOfSs3(parameter, final);
    if (key) return keyEvents([alt ? withAlt(key) : key], bytes);
    // Alt+O, and what was typed after it.
    const typed = [...parameter, final].map((char) => keyOfCharacter(char, false));
    const letter = keyOfCharacter('O', true);
    const first = alt ? [keyOfControl(escapeCode, this.#backspaceCode, false)] : [];
    return keyEvents([...first, letter, ...typed], bytes);
  }
}

const hasSubparameters = ({ parameters }: ControlSequence): boolean =>
  parameters.some((parts) => parts.length > 1);

const keyOfCharacter = (text: string, alt: boolean): KeyEvent =>
  pressed(text, alt ? modifierBits.alt : 0);

const keyEvents = (keys: readonly KeyEvent[], bytes: Uint8Array): TtyEvent[] =>
  keys.map((key, index) => ({
    type: 'key',
    ...key,
    bytes: index === 0 ? bytes : bytes.subarray(bytes.length),
  }));

/** Reports of buttons that have no name are answers: a program does not get them as text. */
const mouseEvents = (mouse: MouseInput | undefined, bytes: Uint8Array): TtyEvent[] =>
  mouse ? [{ type: 'mouse', mouse }] : replyEvents([], bytes);

const replyEvents = (replies: readonly TtyReply[], bytes: Uint8Array): TtyEvent[] =>
  (replies.length > 0 ? replies : [{ of: 'other', bytes } as const]).map((reply) => ({
    type: 'reply',
    reply,
  }));

const buttons: readonly MouseButton[] = ['left', 'middle', 'right', 'none'];
const extraButtons: readonly MouseButton[] = ['back', 'forward'];
const scrolls = ['scrollUp', 'scrollDown', 'scrollLeft', 'scrollRight'] as const;

/** Bits of the first value of a report (ctlseqs, "Mouse Tracking"). */
const bits = { shift: 4, alt: 8, ctrl: 16, motion: 32, wheel: 64, extra: 128 } as const;

type Kind = Pick<MouseInput, 'action' | 'button'>;

/** Decodes reports of the mouse in all encodings. */
class MouseDecoder {
  /** Tells cells from pixels, and characters from bytes; the other encodings differ by themselves. */
  encoding: MouseEncoding = 'sgr';
  /** In pixels, for positions in the encoding `sgrPixels`. */
  cellSize: { readonly width: number; readonly height: number } = { width: 1, height: 1 };
  /** The button that the encodings without buttons release. */
  #pressed: MouseButton = 'left';

  /** `CSI < code ; x ; y M`, with `m` for releases, and `CSI code ; x ; y M`, 32 higher. */
  ofSequence(sequence: ControlSequence): MouseInput | undefined {
    const { prefix, final, intermediates } = sequence;
    const [code = 0, x = 1, y = 1, ...more] = parametersOf(sequence);
    const isReport = sequence.parameters.length === 3 && more.length === 0 && intermediates === '';
    if (!isReport) return undefined;
    if (prefix === '<' && (final === 'M' || final === 'm')) {
      return this.#input(this.#kindOf(code, final === 'm'), code, x, y);
    }
    return prefix === '' && final === 'M' ? this.ofValues(code - 32, x, y) : undefined;
  }

  /** The three values of the encodings `default` and `utf8`, less 32. */
  ofValues(code: number, x: number, y: number): MouseInput | undefined {
    const releases = (code & (bits.motion | bits.wheel | bits.extra | 3)) === 3;
    const kind: Kind | undefined = releases
      ? { action: 'release', button: this.#pressed }
      : this.#kindOf(code, false);
    return this.#input(kind, code, x, y);
  }

  #kindOf(code: number, releases: boolean): Kind | undefined {
    if (code < 0) return undefined;
    const low = code & 3;
    if (code & bits.wheel) {
      const action = scrolls[low];
      return action === undefined || code & bits.extra ? undefined : { action };
    }
    const button = (code & bits.extra ? extraButtons : buttons)[low];
    if (button === undefined) return undefined;
    if (code & bits.motion) return { action: 'move', button };
    if (releases) return { action: 'release', button };
    return button === 'none' ? undefined : { action: 'press', button };
  }

  #input(kind: Kind | undefined, code: number, x: number, y: number): MouseInput | undefined {
    if (kind === undefined) return undefined;
    if (kind.action === 'press' && kind.button !== undefined) this.#pressed = kind.button;
    const { width, height } = this.#unit();
    return {
      ...kind,
      row: Math.max(0, Math.floor((y - 1) / height)),
      col: Math.max(0, Math.floor((x - 1) / width)),
      ...(code & bits.shift ? { shift: true } : {}),
      ...(code & bits.alt ? { alt: true } : {}),
      ...(code & bits.ctrl ? { ctrl: true } : {}),
    };
  }

  #unit(): { readonly width: number; readonly height: number } {
    return this.encoding === 'sgrPixels' ? this.cellSize : { width: 1, height: 1 };
  }
}
