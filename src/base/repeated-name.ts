/**
 * Returns the place of the first name that is given twice in one object of a JSON text; null if there is
 * none. `JSON.parse` keeps the last value, and drops the others without a word (RFC 8259, 4).
 *
 * @param json valid JSON
 */
export function repeatedJsonName(json: string): string | null {
  const open: { readonly names: Set<string> | null; name: string }[] = [];
  let isName = false;
  for (let at = 0; at < json.length; at++) {
    const inner = open.at(-1);
    switch (json[at]) {
      case '{':
      case '[':
        isName = json[at] === '{';
        open.push({ names: isName ? new Set() : null, name: '' });
        break;
      case '}':
      case ']':
        open.pop();
        isName = false;
        break;
      case ',':
        isName = inner?.names != null;
        break;
      case '"': {
        const end = endOfString(json, at);
        if (isName && inner?.names) {
          inner.name = JSON.parse(json.slice(at, end));
          if (inner.names.has(inner.name)) return placeOf(open);
          inner.names.add(inner.name);
          isName = false;
        }
        at = end - 1;
      }
    }
  }
  return null;
}

/** Returns the index after a string. @param at of its first quote */
function endOfString(json: string, at: number): number {
  for (let end = at + 1; ; end++) {
    end = json.indexOf('"', end);
    if (end === -1) return json.length;
    let escapes = 0;
    while (json[end - 1 - escapes] === '\\') escapes++;
    if (escapes % 2 === 0) return end + 1;
  }
}

const placeOf = (open: readonly { readonly name: string }[]): string =>
  open
    .map(({ name }) => name)
    .filter((name) => name !== '')
    .join('.');
