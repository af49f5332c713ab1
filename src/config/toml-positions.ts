/** A position in a text; 1-based. */
export interface TextPosition {
  readonly line: number;
  readonly column: number;
}

interface KeyPositions {
  readonly key: TextPosition;
  readonly value: TextPosition;
}

const header = /^\s*(\[\[?)\s*([^\]#]+?)\s*\]\]?/;
const assignment = /^(\s*)((?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*')(?:\s*\.\s*[A-Za-z0-9_-]+)*)\s*=\s*/;

/**
 * Returns the positions of the keys of a TOML text and of their values, by the path of the key
 * (`coordinators.0.path`). The text must be valid TOML. The inside of multi-line values is skipped,
 * and keys of inline tables are not included.
 */
export function tomlPositions(text: string): Map<string, KeyPositions> {
  const positions = new Map<string, KeyPositions>();
  const counts = new Map<string, number>();
  let table = '';
  let closing: string | null = null;
  for (const [index, source] of text.split('\n').entries()) {
    if (closing !== null) {
      if (source.includes(closing)) closing = null;
      continue;
    }
    const line = index + 1;
    const [, brackets, name] = header.exec(source) ?? [];
    if (brackets !== undefined && name !== undefined) {
      table = brackets === '[[' ? numbered(name, counts) : name;
      const position = { line, column: source.indexOf('[') + 1 };
      positions.set(table, { key: position, value: position });
      continue;
    }
    const [found, indent = '', key] = assignment.exec(source) ?? [];
    if (found === undefined || key === undefined) continue;
    positions.set([table, unquoted(key)].filter((part) => part !== '').join('.'), {
      key: { line, column: indent.length + 1 },
      value: { line, column: found.length + 1 },
    });
    closing = closingOf(source.slice(found.length));
  }
  return positions;
}

/** Appends the index of a table of an array: `coordinators.0`, `coordinators.1`. */
function numbered(name: string, counts: Map<string, number>): string {
  const index = counts.get(name) ?? 0;
  counts.set(name, index + 1);
  return `${name}.${index}`;
}

const unquoted = (key: string): string => key.replaceAll(/["'\s]/g, '');

/** Returns the closing delimiter of a value that continues on the next line; null if it does not. */
function closingOf(value: string): string | null {
  for (const quotes of ['"""', "'''"]) {
    if (value.startsWith(quotes) && !value.slice(3).includes(quotes)) return quotes;
  }
  return value.startsWith('[') && !value.includes(']') ? ']' : null;
}
