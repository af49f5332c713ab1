/** Colours as #rrggbb. */
export interface Scheme {
  readonly name: string;
  readonly back: string;
  readonly front: string;
  readonly cursor: string;
  /** The first 16 of the palette. */
  readonly palette: readonly string[];
}

const hex = /^#?([0-9a-f]{6})$/i;

function color(text: unknown): string | undefined {
  const digits = typeof text === 'string' ? hex.exec(text.trim())?.[1] : undefined;
  return digits === undefined ? undefined : `#${digits.toLowerCase()}`;
}

/**
 * Reads a colour scheme of Windows Terminal (JSON) or of Ghostty (lines of `name = value`).
 *
 * @throws Error that says what is missing
 */
export function readScheme(text: string): Scheme {
  const isJson = text.trimStart().startsWith('{');
  const parts = isJson ? windowsParts(text) : ghosttyParts(text);
  const { back, front, palette, name } = parts;
  const missing = Array.from({ length: 16 }, (_, at) => at).filter((at) => !palette[at]);
  if (missing.length > 0) throw new Error(`the scheme has no colour ${missing.join(', ')}`);
  if (back === undefined || front === undefined) {
    throw new Error('the scheme has no background or no foreground');
  }
  return { name, back, front, cursor: parts.cursor ?? front, palette: palette as string[] };
}

interface Parts {
  readonly name: string;
  readonly back: string | undefined;
  readonly front: string | undefined;
  readonly cursor: string | undefined;
  readonly palette: readonly (string | undefined)[];
}

const windowsNames = ['black', 'red', 'green', 'yellow', 'blue', 'purple', 'cyan', 'white'];

function windowsParts(text: string): Parts {
  let read: Record<string, unknown>;
  try {
    read = Object(JSON.parse(text));
  } catch {
    throw new Error('the scheme is no JSON');
  }
  const bright = (name: string) => `bright${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  const { name } = read;
  return {
    name: typeof name === 'string' ? name : 'Own',
    back: color(read['background']),
    front: color(read['foreground']),
    cursor: color(read['cursorColor']),
    palette: [...windowsNames, ...windowsNames.map(bright)].map((each) => color(read[each])),
  };
}

function ghosttyParts(text: string): Parts {
  const palette: (string | undefined)[] = [];
  const named = new Map<string, string | undefined>();
  for (const line of text.split('\n')) {
    const [, name = '', value = ''] = /^\s*([\w-]+)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    const [, at, entry] = /^(\d+)\s*=\s*(\S+)$/.exec(value) ?? [];
    if (name === 'palette' && at !== undefined) palette[Number(at)] = color(entry);
    else named.set(name, color(value));
  }
  return {
    name: 'Own',
    back: named.get('background'),
    front: named.get('foreground'),
    cursor: named.get('cursor-color'),
    palette,
  };
}
