/** A token of RFC 9110, 5.6.2. */
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const outerSpace = /^[\t\n\r ]+|[\t\n\r ]+$/g;
/** Bytes that a value must not have, and characters that are not bytes. */
const refused = /[\0\n\r\u0100-\uffff]/;

type Init = Iterable<readonly [name: string, value: string]> | Readonly<Record<string, string>>;

/**
 * `Headers` of the Fetch standard (5.1), for the bundle of the daemon. Node's own class loads all of Fetch when it
 * is first used: 16 ms of the first call (ADR 0019). Unlike that one, an iteration shows the headers as they
 * were when it began.
 *
 * All methods throw TypeError for a name that is not a token. Names are compared without case.
 */
class PlainHeaders {
  /** The values of each name, which is in lower case. */
  readonly #values = new Map<string, string[]>();

  constructor(init?: Init | null) {
    if (init === undefined || init === null) return;
    const pairs = Symbol.iterator in init ? (init as Iterable<[string, string]>) : null;
    for (const [name, value] of pairs ?? Object.entries(init)) this.append(name, value);
  }

  /** @throws TypeError for a value with NUL, CR, LF or characters beyond U+00FF */
  append(name: string, value: string): void {
    const key = keyOf(name);
    const text = textOf(value);
    const values = this.#values.get(key);
    if (values === undefined) this.#values.set(key, [text]);
    else values.push(text);
  }

  /** @throws TypeError as {@link append} */
  set(name: string, value: string): void {
    this.#values.set(keyOf(name), [textOf(value)]);
  }

  delete(name: string): void {
    this.#values.delete(keyOf(name));
  }

  /** Returns all values, separated by `, `; null if there are none. */
  get(name: string): string | null {
    return this.#values.get(keyOf(name))?.join(', ') ?? null;
  }

  getSetCookie(): string[] {
    return [...(this.#values.get('set-cookie') ?? [])];
  }

  has(name: string): boolean {
    return this.#values.has(keyOf(name));
  }

  forEach(act: (value: string, name: string, headers: this) => void, self?: unknown): void {
    for (const [name, value] of this) act.call(self, value, name, this);
  }

  /** In the order of their names. Each cookie is an entry. */
  entries(): IterableIterator<[string, string]> {
    const names = [...this.#values.keys()].sort();
    const pairs = names.flatMap((name): [string, string][] => {
      const values = this.#values.get(name) ?? [];
      const shown = name === 'set-cookie' ? values : [values.join(', ')];
      return shown.map((value) => [name, value]);
    });
    return pairs.values();
  }

  keys(): IterableIterator<string> {
    return [...this.entries()].map(([name]) => name).values();
  }

  values(): IterableIterator<string> {
    return [...this.entries()].map(([, value]) => value).values();
  }

  [Symbol.iterator](): IterableIterator<[string, string]> {
    return this.entries();
  }
}

function keyOf(name: string): string {
  const text = `${name}`;
  if (token.test(text)) return text.toLowerCase();
  throw new TypeError(`invalid name of a header: ${JSON.stringify(text)}`);
}

function textOf(value: string): string {
  const text = `${value}`.replace(outerSpace, '');
  if (!refused.test(text)) return text;
  throw new TypeError(`invalid value of a header: ${JSON.stringify(text)}`);
}

// The bundler puts it in place of the global of this name.
export { PlainHeaders as Headers };
