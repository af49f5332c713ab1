/** A modifier before the colon of `#{...}`, with what follows its name. */
export interface Modifier {
  readonly name: string;
  readonly values: readonly string[];
}

const pairs = ['||', '&&', '!=', '==', '<=', '>='];
const plain = 'labcdnwETSWPtqmC<>N';
const withValues = 'mCNst=peqE';

/** Splits `MODIFIER;MODIFIER:REST`. Without modifiers, all is the rest. */
export function readModifiers(inside: string): {
  readonly modifiers: readonly Modifier[];
  readonly rest: string;
} {
  const modifiers: Modifier[] = [];
  const none = { modifiers: [], rest: inside };
  for (let at = 0; at < inside.length; ) {
    if (inside[at] === ';') {
      at++;
      continue;
    }
    if (inside[at] === ':') return { modifiers, rest: inside.slice(at + 1) };
    const pair = inside.slice(at, at + 2);
    if (pairs.includes(pair)) {
      modifiers.push({ name: pair, values: [] });
      at += 2;
      continue;
    }
    const name = inside[at] ?? '';
    const after = inside[at + 1] ?? '';
    if (plain.includes(name) && (after === ':' || after === ';')) {
      modifiers.push({ name, values: [] });
      at++;
      continue;
    }
    if (!withValues.includes(name)) return none;
    const read = valuesAt(inside, at + 1);
    if (read === null) return none;
    modifiers.push({ name, values: read.values });
    at = read.end;
  }
  return none;
}

/** Values between delimiters, `/a/b/`, or one value without them, `=21`. */
function valuesAt(text: string, from: number): { values: string[]; end: number } | null {
  const delimiter = text[from] ?? '';
  if (/[a-z0-9-]/i.test(delimiter)) {
    const end = endOf(text, from, ':;');
    return end === -1 ? null : { values: [text.slice(from, end)], end };
  }
  if (delimiter === '' || ':;'.includes(delimiter)) return null;
  const values: string[] = [];
  for (let at = from + 1; ; ) {
    const end = endOf(text, at, `${delimiter};:`);
    if (end === -1) return null;
    values.push(text.slice(at, end));
    const found = text[end] ?? '';
    if (found !== delimiter) return { values, end };
    at = end + 1;
    if (':;'.includes(text[at] ?? ':')) return { values, end: at };
  }
}

function endOf(text: string, from: number, ends: string): number {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    const character = text[at] ?? '';
    if (character === '#' && text[at + 1] === '{') {
      depth++;
      at++;
    } else if (character === '}' && depth > 0) depth--;
    else if (depth === 0 && ends.includes(character)) return at;
  }
  return -1;
}
