import { selectedAddresses } from './selected.ts';

/** How long a list is taken for true, in ms: each one starts a program. */
const trueForMs = 10_000;
/** How old a list may be that is given while the next one is made, in ms: views ask every 10 s. */
const maxAgeMs = 30_000;

/** What was listed: addresses, or why there is no list. */
type Listed = { readonly addresses: readonly string[] } | { readonly failure: unknown };

/**
 * What a selector selects, for views that go on.
 * They get the last list at once, while the next one is made, unless nobody has asked for long.
 */
export class SelectedList {
  readonly #selector: string;
  readonly #limitMs: () => number;
  #listedMs = Number.NEGATIVE_INFINITY;
  #listing: Promise<Listed> | null = null;
  #last: Listed | null = null;

  /** @param limitMs returns the time until the tool has listed them, in ms */
  constructor(selector: string, limitMs: () => number) {
    this.#selector = selector;
    this.#limitMs = limitMs;
  }

  /** Never fails: `failure` is that of {@link selectedAddresses}. */
  async current(): Promise<Listed> {
    const ageMs = performance.now() - this.#listedMs;
    if (ageMs > trueForMs) {
      this.#listing ??= this.#list().then((listed) => {
        this.#last = listed;
        this.#listedMs = performance.now();
        this.#listing = null;
        return listed;
      });
    }
    const kept = ageMs > maxAgeMs ? null : this.#last;
    return kept ?? (await this.#listing) ?? { addresses: [] };
  }

  async #list(): Promise<Listed> {
    try {
      return { addresses: await selectedAddresses(this.#selector, { limitMs: this.#limitMs() }) };
    } catch (failure) {
      return { failure };
    }
  }
}
