import type { MouseButton, MouseEncoding, MouseInput } from '#model';
import { parametersOf } from './control-sequence.ts';
import type { ControlSequence } from './token.ts';

const buttons: readonly MouseButton[] = ['left', 'middle', 'right', 'none'];
const extraButtons: readonly MouseButton[] = ['back', 'forward'];
const scrolls = ['scrollUp', 'scrollDown', 'scrollLeft', 'scrollRight'] as const;

/** Bits of the first value of a report (ctlseqs, "Mouse Tracking"). */
const bits = { shift: 4, alt: 8, ctrl: 16, motion: 32, wheel: 64, extra: 128 } as const;

type Kind = Pick<MouseInput, 'action' | 'button'>;

/** Decodes reports of the mouse in all encodings. */
export class MouseDecoder {
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
