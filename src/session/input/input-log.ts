import { decodeUtf8 } from '#base';
import type { SentInput } from '#model';
import type { OutputChunk } from '#pty';

/** The most inputs kept, and the most bytes of each. */
const maxInputs = 64;
const maxBytes = 16 * 1024;
/** The most characters of all inputs, in UTF-16 code units. */
const maxCharacters = 128 * 1024;

/** Control sequences (a bracketed paste, keys) and control characters. */
const invisible =
  /\x1b(?:\[[0-9;?<>=]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|O.|.)|[\p{Cc}\s]/gu;

/** Returns the characters of a text that a terminal shows, without blanks. */
export function visible(text: string): string {
  return text.replace(invisible, '');
}

/** The last inputs of a session, oldest first, within bounds. */
export class InputLog {
  #inputs: SentInput[] = [];
  #characters = 0;
  #count = 0;
  /** The part of each input that the output shows, if that can no longer change. */
  readonly #shown = new WeakMap<SentInput, SentInput>();

  get count(): number {
    return this.#count;
  }

  get inputs(): readonly SentInput[] {
    return this.#inputs;
  }

  add(bytes: Uint8Array, place: Pick<SentInput, 'offset' | 'line' | 'index'>): void {
    const text = decodeUtf8(bytes.subarray(0, maxBytes));
    this.#inputs.push({ number: ++this.#count, text, ...place });
    this.#characters += text.length;
    while (this.#inputs.length > maxInputs || this.#characters > maxCharacters) {
      const [oldest] = this.#inputs.splice(0, 1);
      this.#characters -= oldest?.text.length ?? 0;
    }
  }

  restore(inputs: readonly SentInput[], count: number): void {
    this.#inputs = [...inputs];
    this.#characters = inputs.reduce((sum, { text }) => sum + text.length, 0);
    this.#count = count;
    for (const input of inputs) this.#shown.set(input, input);
  }

  /**
   * Returns the inputs with their texts as far as the terminal echoed them: as whole lines that the
   * output after an input begins with, up to the next input. A password is not echoed.
   *
   * @param rawOutput returns the output from an offset on that is at hand
   */
  shown(rawOutput: (from: number) => readonly OutputChunk[], outputEnd: number): SentInput[] {
    return groupsOf(this.#inputs).flatMap((group, index, groups) => {
      const places = group.flatMap((input) => this.#shown.get(input) ?? []);
      if (places.length === group.length) return places;
      const end = groups[index + 1]?.[0]?.offset ?? outputEnd;
      const echo = echoOf(group, rawOutput, end);
      const shown = shownOf(group, visible(decodeUtf8(echo.bytes)));
      if (index === groups.length - 1 && !echo.isWhole) return shown;
      for (const [at, input] of group.entries()) this.#shown.set(input, shown[at] ?? input);
      return shown;
    });
  }
}

/** Groups inputs between which there was no output. */
function groupsOf(inputs: readonly SentInput[]): SentInput[][] {
  const groups: SentInput[][] = [];
  for (const input of inputs) {
    const last = groups.at(-1);
    if (last?.[0]?.offset === input.offset) last.push(input);
    else groups.push([input]);
  }
  return groups;
}

/** An echo has further bytes for colours and redrawn characters. */
const maxEchoBytes = (length: number) => 4 * length + 4096;

/** Returns the output after some inputs that may be their echo, and whether there cannot be more. */
function echoOf(
  group: readonly SentInput[],
  rawOutput: (from: number) => readonly OutputChunk[],
  end: number,
): { readonly bytes: Uint8Array; readonly isWhole: boolean } {
  const offset = group[0]?.offset ?? end;
  const maxBytes = maxEchoBytes(group.reduce((sum, { text }) => sum + text.length, 0));
  const echo: Uint8Array[] = [];
  let at = offset;
  for (const chunk of rawOutput(offset)) {
    // The beginning of the echo is no longer at hand, or this is not the echo.
    if (chunk.offset !== at || at - offset >= maxBytes) break;
    if (at < end) echo.push(chunk.bytes.subarray(0, end - at));
    at += chunk.bytes.length;
  }
  const bytes = Buffer.concat(echo);
  return { bytes: bytes.subarray(0, maxBytes), isWhole: end - offset >= maxBytes };
}

/** Returns inputs with the parts of their texts that an echo shows. */
function shownOf(group: readonly SentInput[], echo: string): SentInput[] {
  let left = shownLength(group.map((input) => input.text).join(''), echo);
  return group.map((input) => {
    const shown = input.text.slice(0, Math.max(0, left));
    left -= input.text.length;
    return { ...input, text: shown };
  });
}

/** Returns the length of the lines at the beginning of a text that an echo begins with. */
function shownLength(text: string, echo: string): number {
  let length = 0;
  let rest = echo;
  for (const line of text.split(/(?<=[\r\n])/)) {
    const characters = visible(line);
    if (!rest.startsWith(characters)) break;
    rest = rest.slice(characters.length);
    length += line.length;
  }
  return length;
}
