import type { Style } from '#model';

/**
 * A style in words: `bold fg=1 underline=curly`, `plain` where everything is at its default. First
 * what is on, then what has a value, each by the alphabet.
 */
export function styleWords(style: Style): string {
  const on: string[] = [];
  const values: string[] = [];
  for (const [name, value] of Object.entries(style)) {
    if (value === true) on.push(name);
    else if (value !== false && value !== null && value !== 'none') values.push(`${name}=${value}`);
  }
  return [...on.sort(), ...values.sort()].join(' ') || 'plain';
}
