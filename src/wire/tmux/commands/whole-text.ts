import type { Call } from './call.ts';

/** Commands with their whole names, as they are shown. @param separator between two of them @throws TmuxError */
export async function wholeText(call: Call, text: string, separator = ' ; '): Promise<string> {
  const lines = await call.runner.parsed(text, call);
  return lines
    .flat()
    .map(([name = '', ...words]) => [name, ...words.map(quotedValue)].join(' '))
    .join(separator);
}

/** Returns a value as tmux prints it in a list, in quotes if its configuration needs them. */
export function quotedValue(text: string): string {
  if (text === '') return "''";
  if (text.length === 1 && /["'\\$;{}~#% ]/.test(text)) {
    return text === "'" ? `"${text}"` : text === ' ' ? `' '` : `\\${text}`;
  }
  const needsQuotes = /[ #';${}%]/.test(text);
  const escaped = text
    .replace(needsQuotes || text.includes('"') ? /["\\]/g : /\\/g, '\\$&')
    .replace(/\n/g, '\\n')
    .replace(/\t/g, '\\t');
  const safe = escaped.replace(/\$(?=[A-Za-z_{])/g, '\\$');
  if (needsQuotes || text.includes('"')) return `"${safe}"`;
  return text.startsWith('~') ? `\\${safe}` : safe;
}
