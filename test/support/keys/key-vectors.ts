import { readFileSync } from 'node:fs';
import type { KeyPress } from '#model';
import { unescaped } from '../vt/escaped-bytes.ts';

/** One expectation of a file in test/golden/keys, whose comments describe the format. */
export interface KeyVector {
  /** The section of the file; empty without sections. */
  readonly section: string;
  readonly key: string;
  /** Letters: c ctrl, a alt, s shift, L caps lock, N num lock. */
  readonly modifiers: string;
  /** `name=value` between the key and its presses. */
  readonly attributes: Readonly<Record<string, string>>;
  readonly bytes: string;
}

export function readKeyVectors(
  file: 'legacy.txt' | 'kitty.txt' | 'mouse.txt' | 'terminals.txt',
): KeyVector[] {
  const url = new URL(`../../golden/keys/${file}`, import.meta.url);
  let section = '';
  return readFileSync(url, 'utf8')
    .split('\n')
    .flatMap((line) => {
      if (line === '' || line.startsWith('# ') || line === '#') return [];
      if (/^\[.+\]$/.test(line)) section = line.slice(1, -1);
      else return readLine(line, section);
      return [];
    });
}

function readLine(line: string, section: string): KeyVector[] {
  const [key = '', ...words] = line.split(' ');
  const fields = words.map((word): [string, string] => {
    const [, name = '', value = ''] = /^(-|\w+)=(.*)$/.exec(word) ?? [];
    return [name, unescaped(value)];
  });
  const isAttribute = ([name]: [string, string]) => /^[a-z]{4,}$/.test(name);
  const attributes = Object.fromEntries(fields.filter(isAttribute));
  return fields
    .filter((field) => !isAttribute(field))
    .map(([modifiers, text]) => ({
      section,
      key: unescaped(key),
      modifiers,
      attributes,
      bytes: text,
    }));
}

export const pressOf = ({ key, modifiers }: Pick<KeyVector, 'key' | 'modifiers'>): KeyPress => ({
  key,
  ...(modifiers.includes('c') ? { ctrl: true } : {}),
  ...(modifiers.includes('a') ? { alt: true } : {}),
  ...(modifiers.includes('s') ? { shift: true } : {}),
});
