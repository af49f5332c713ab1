import { Emitter } from '#base';
import { parseKey } from '#keys';
import type { Size } from '#model';
import type { Capabilities, Picture, TtyEvent } from '#tty';
import { Terminal } from '#vt';
import type { Tty } from '../../../src/app/tui/tty-screen/tty.ts';
import { PaintedTerminal } from '../tty/painted.ts';

/** A person's terminal that paints each picture at once. */
export class FakeTty implements Tty {
  readonly size: Size;
  /** All output so far. */
  output = '';
  readonly #painted: PaintedTerminal;
  readonly #events = new Emitter<readonly TtyEvent[]>((error) => {
    throw error;
  });

  constructor(size: Size, capabilities: Capabilities) {
    this.size = size;
    this.#painted = new PaintedTerminal(new Terminal({ size, allowClipboard: true }), capabilities);
  }

  /** What the person sees. */
  get terminal(): Terminal {
    return this.#painted.terminal;
  }

  show(draw: () => Picture): void {
    this.output += this.#painted.show(draw());
  }

  press(...keys: readonly string[]): void {
    for (const key of keys) {
      const press = parseKey(key);
      this.#events.emit([{ type: 'key', press, action: 'press', bytes: new Uint8Array() }]);
    }
  }

  onEvents(listener: (events: readonly TtyEvent[]) => void) {
    return this.#events.on(listener);
  }

  onResize() {
    return { dispose() {} };
  }

  setModes(): void {}
  setClipboard(): boolean {
    throw new Error('the clipboard was set');
  }
  notify(): boolean {
    throw new Error('a notification was shown');
  }
  reportStatus(): void {
    throw new Error('a status was told');
  }
  ring(): void {
    throw new Error('the bell was rung');
  }
  lend<T>(use: () => Promise<T>): Promise<T> {
    return use();
  }
  repaint(): void {}
  suspend(): void {}
  leave(): void {}
}
