/**
 * The position in a control function of ECMA-48. `string` follows DCS, SOS, PM and APC, up to ST;
 * `osc` likewise, but BEL ends it too, as in xterm.
 */
type State = 'text' | 'escape' | 'intermediate' | 'csi' | 'osc' | 'string';

const esc = 0x1b;
const can = 0x18;
const sub = 0x1a;
const st = 0x9c;
/** C1 controls that introduce a function; after ESC they are the letter 0x40 below. */
const introducers: ReadonlyMap<number, State> = new Map([
  [0x90, 'string'],
  [0x98, 'string'],
  [0x9b, 'csi'],
  [0x9d, 'osc'],
  [0x9e, 'string'],
  [0x9f, 'string'],
]);

/** Control characters. Tab, line feed and carriage return are text. */
const control = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/g;

/** Characters that can end a string. */
const endOfString = /[\x07\x18\x1a\x1b\x9c]/g;

/**
 * Removes control functions and control characters from text in chunks. A function may be split
 * between chunks. Buffers no text, however long a function is.
 */
export class ControlFunctions {
  #state: State = 'text';

  push(text: string): string {
    let kept = '';
    for (let at = 0; at < text.length; ) {
      if (this.#state === 'text') {
        const end = next(control, text, at);
        kept += text.slice(at, end);
        at = end;
      } else if (this.#state === 'osc' || this.#state === 'string') {
        at = next(endOfString, text, at);
      }
      if (at < text.length) at += this.#take(text.charCodeAt(at));
    }
    return kept;
  }

  /** Returns the number of characters consumed: 0 if the character ends the function and is read again as text. */
  #take(code: number): 0 | 1 {
    if (code === esc) return this.#enter('escape');
    if (code === can || code === sub) return this.#enter('text');
    switch (this.#state) {
      case 'text':
        return this.#enter(introducers.get(code) ?? 'text');
      case 'osc':
        return this.#enter('text');
      case 'string':
        return this.#enter(code === st ? 'text' : 'string');
      case 'escape':
        return this.#escape(code);
      case 'intermediate':
        return this.#within(code, 0x30);
      case 'csi':
        return this.#within(code, 0x40);
    }
  }

  #enter(state: State): 1 {
    this.#state = state;
    return 1;
  }

  #escape(code: number): 0 | 1 {
    if (code >= 0x20 && code < 0x30) return this.#enter('intermediate');
    if (code >= 0x40 && code < 0x60) {
      return this.#enter(introducers.get(code + 0x40) ?? 'text');
    }
    return this.#within(code, 0x30);
  }

  /** @param firstFinal the lowest character that ends the function */
  #within(code: number, firstFinal: number): 0 | 1 {
    // A terminal executes a control inside a function and continues the function.
    if (code < 0x20) return isText(code) ? this.#leave() : 1;
    if (code >= 0x7f) return code === 0x7f ? 1 : this.#leave();
    if (code >= firstFinal) this.#state = 'text';
    return 1;
  }

  /** Any other character ends the function, so that an incomplete one swallows no text. */
  #leave(): 0 {
    this.#state = 'text';
    return 0;
  }
}

const isText = (code: number): boolean => code === 0x09 || code === 0x0a || code === 0x0d;

function next(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from;
  return pattern.exec(text)?.index ?? text.length;
}
