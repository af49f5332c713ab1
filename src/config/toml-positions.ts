/** 1-based. */
export interface TextPlace {
  readonly line: number;
  readonly column: number;
}

const header = /^\s*(\[\[?)\s*([^\]#]+?)\s*\]\]?/;
const assignment = /^(\s*)((?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*')(?:\s*\.\s*[A-Za-z0-9_-]+)*)\s*=\s*/;

/**
 * Where the keys of a TOML text stand, by their path (`coordinators.0.path`), and where their values
 * do. The text has been parsed without error before; what spans several lines is read over, and a
 * key inside an inline table has no place of its own.
 */
export function tomlPlaces(text: string): Map<string, { key: TextPlace; value: TextPlace }> {
  const places = new Map<string, { key: TextPlace; value: TextPlace }>();
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
      table = brackets === '[[' ? nextOf(name, counts) : name;
      const place = { line, column: source.indexOf('[') + 1 };
      places.set(table, { key: place, value: place });
      continue;
    }
    const [found, indent = '', key] = assignment.exec(source) ?? [];
    if (found === undefined || key === undefined) continue;
    places.set([table, unquoted(key)].filter((part) => part !== '').join('.'), {
      key: { line, column: indent.length + 1 },
      value: { line, column: found.length + 1 },
    });
    closing = closingOf(source.slice(found.length));
  }
  return places;
}

function nextOf(name: string, counts: Map<string, number>): string {
  const index = counts.get(name) ?? 0;
  counts.set(name, index + 1);
  return `${name}.${index}`;
}

const unquoted = (key: string): string => key.replaceAll(/["'\s]/g, '');

/** What ends a value that goes on after its line; null where it ends there. */
function closingOf(value: string): string | null {
  for (const quotes of ['"""', "'''"]) {
    if (value.startsWith(quotes) && !value.slice(3).includes(quotes)) return quotes;
  }
  return value.startsWith('[') && !value.includes(']') ? ']' : null;
}
