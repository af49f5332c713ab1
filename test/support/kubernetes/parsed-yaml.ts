interface Line {
  readonly indent: number;
  readonly text: string;
}

/**
 * Parses the part of YAML 1.2 that manifests in our documents use: block maps and lists, plain scalars, lists
 * of them in brackets, `{}`, comments on lines of their own, and several documents.
 *
 * @throws Error for anything else
 */
export function parsedYaml(text: string): unknown[] {
  return text.split(/^---$/m).map((document) => {
    const lines = document
      .split('\n')
      .filter((line) => !/^\s*(?:#|$)/.test(line))
      .map((line) => ({ indent: line.search(/\S/), text: line.trim() }));
    const value = block(lines, 0);
    const [left] = lines;
    if (left !== undefined) throw new Error(`unexpected indentation: ${left.text}`);
    return value;
  });
}

/** Takes the lines of a map or a list. */
function block(lines: Line[], indent: number): unknown {
  return lines[0]?.text.startsWith('- ') ? list(lines, indent) : map(lines, indent);
}

function list(lines: Line[], indent: number): unknown[] {
  const items: unknown[] = [];
  for (let line = lines[0]; line?.indent === indent; line = lines[0]) {
    if (!line.text.startsWith('- ')) throw new Error(`not an item of a list: ${line.text}`);
    lines[0] = { indent: indent + 2, text: line.text.slice(2) };
    items.push(block(lines, indent + 2));
  }
  return items;
}

function map(lines: Line[], indent: number): unknown {
  const entries: [string, unknown][] = [];
  for (let line = lines[0]; line?.indent === indent; line = lines[0]) {
    const [, key, value = ''] = /^([\w./-]+):(?: (.+))?$/.exec(line.text) ?? [];
    if (key === undefined) throw new Error(`not an entry of a map: ${line.text}`);
    if (entries.some(([other]) => other === key)) throw new Error(`a second ${key}`);
    lines.shift();
    entries.push([key, value === '' ? block(lines, lines[0]?.indent ?? 0) : scalar(value)]);
  }
  return Object.fromEntries(entries);
}

function scalar(text: string): unknown {
  if (text === '{}') return {};
  if (/^\[.*\]$/.test(text)) return text.slice(1, -1).split(/,\s*/).map(scalar);
  if (/^\d+$/.test(text)) return Number(text);
  if (text === 'true' || text === 'false') return text === 'true';
  if (!/^[\w./][^#]*$/.test(text) && !/^--?\w[\w-]*$/.test(text)) {
    throw new Error(`not a plain scalar: ${text}`);
  }
  return text;
}
