import { carriageReturn } from './editing/movement.ts';
import { applyPlain } from './editing/plain-output.ts';
import { printAscii, printCharacters, printUtf8 } from './editing/printing.ts';
import { lineFeed } from './editing/scrolling.ts';
import { horizontalTab } from './functions/charsets.ts';
import type { ControlFunction, Run } from './functions/control-function.ts';
import { runOsc } from './functions/osc.ts';
import { controlFunctions, dcsFunctions } from './functions/tables.ts';
import { Params } from './parser/params.ts';
import { functionKey, type ParserSink } from './parser/parser.ts';
import type { TerminalState } from './state/terminal-state.ts';
import { applySgr } from './style/sgr.ts';

/**
 * Finds the handler of a function. Functions without a private marker and intermediates, which are
 * the most frequent, are found in an array.
 */
class RunTable {
  readonly #plain: (Run | undefined)[] = new Array(0x80).fill(undefined);
  readonly #others = new Map<number, Run>();

  constructor(kind: ControlFunction['kind']) {
    for (const { kind: own, key, run } of controlFunctions) {
      if (own !== kind || run === undefined) continue;
      if (key < 0x80) this.#plain[key] = run;
      else this.#others.set(key, run);
    }
  }

  find(key: number): Run | undefined {
    return key < 0x80 ? this.#plain[key] : this.#others.get(key);
  }
}

const controls = new RunTable('C0');
const escapes = new RunTable('ESC');
const sequences = new RunTable('CSI');
const strings = new Map(dcsFunctions.map(({ key, run }) => [key, run]));
const sgrKey = functionKey('', '', 'm');
const noParams = new Params();

/** Applies parsed output to a terminal's state. */
export class Dispatch implements ParserSink {
  readonly stop: ParserSink['stop'];
  readonly #state: TerminalState;

  constructor(state: TerminalState) {
    this.#state = state;
    this.stop = state.stop;
  }

  printAscii(bytes: Uint8Array, start: number, end: number): number {
    return printAscii(this.#state, bytes, start, end);
  }

  printUtf8(bytes: Uint8Array, start: number, end: number): number {
    return printUtf8(this.#state, bytes, start, end);
  }

  print(codePoints: Int32Array, count: number): void {
    printCharacters(this.#state, codePoints, count);
  }

  execute(control: number): void {
    // The most frequent controls. Called by name, so that the JIT compiler can inline them.
    if (control === 0x0a) lineFeed(this.#state);
    else if (control === 0x0d) carriageReturn(this.#state);
    else if (control === 0x09) horizontalTab(this.#state);
    else controls.find(control)?.(this.#state, noParams);
  }

  escape(key: number): void {
    escapes.find(key)?.(this.#state, noParams);
  }

  csi(key: number, params: Params): void {
    if (key === sgrKey) applySgr(this.#state.pen, params);
    // No other function has subparameters, so a sequence with them is unknown.
    else if (!params.hasSubs) sequences.find(key)?.(this.#state, params);
  }

  plain(bytes: Uint8Array, start: number, end: number): number {
    return applyPlain(this.#state, bytes, start, end);
  }

  osc(payload: Uint8Array, bel: boolean, offset: number): void {
    runOsc(this.#state, payload, { bel, offset });
  }

  get eightBitControls(): boolean {
    return this.#state.replies.eightBit;
  }

  wantsDcs(key: number): boolean {
    return strings.has(key);
  }

  dcs(key: number, params: Params, payload: Uint8Array): void {
    strings.get(key)?.(this.#state, params, payload);
  }
}
