/** An element of an XML document. */
export interface XmlElement {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly XmlElement[];
  /** Without that of the children. */
  readonly text: string;
}

/** XML 1.0, production 2. */
const character = /^[\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]*$/u;

/**
 * Parses XML 1.0 without DTD, comments, CDATA and namespaces.
 *
 * @throws Error if it is not well-formed
 */
export function parseXml(document: string): XmlElement {
  const [head = ''] = /^<\?xml version="1\.0" encoding="UTF-8"\?>\n/.exec(document) ?? [];
  if (head === '') throw new Error('it has no declaration');
  if (!character.test(document)) throw new Error('it has a character that XML does not allow');
  const top: Open = { name: '', attributes: new Map(), children: [], text: '' };
  const open = [top];
  const token = /<(\/?)([A-Za-z]\w*)((?:\s+\w+="[^"<]*")*)\s*(\/?)>|([^<]+)/gy;
  token.lastIndex = head.length;
  while (token.lastIndex < document.length) {
    const at = token.lastIndex;
    const match = token.exec(document);
    if (match === null) throw new Error(`it is not well-formed at ${at}`);
    const [, close, name = '', attributes = '', isEmpty, text] = match;
    const current = open.at(-1) as Open;
    if (text !== undefined) current.text += unescaped(text);
    else if (close === '/') {
      if (current.name !== name) throw new Error(`</${name}> ends <${current.name}>`);
      open.pop();
    } else {
      const element: Open = { name, attributes: attributesOf(attributes), children: [], text: '' };
      current.children.push(element);
      if (isEmpty === '') open.push(element);
    }
  }
  const [root, ...others] = top.children;
  if (root === undefined || others.length > 0) throw new Error('it has not one root');
  if (open.length !== 1 || top.text.trim() !== '') throw new Error('it does not end with its root');
  return root;
}

interface Open extends XmlElement {
  readonly children: XmlElement[];
  text: string;
}

function attributesOf(source: string): Map<string, string> {
  const attributes = new Map<string, string>();
  for (const [, name = '', value = ''] of source.matchAll(/(\w+)="([^"]*)"/g)) {
    if (attributes.has(name)) throw new Error(`${name} is there twice`);
    // Line feeds and tabs are read as spaces (XML 1.0, 3.3.3).
    attributes.set(name, unescaped(value.replace(/[\t\n\r]/g, ' ')));
  }
  return attributes;
}

const names: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
};

function unescaped(text: string): string {
  if (text.includes(']]>')) throw new Error(']]> is not allowed in text');
  return text.replace(/&([^;]*)(;?)/g, (_, reference: string, end: string) => {
    const [, decimal] = /^#(\d+)$/.exec(reference) ?? [];
    const text = decimal === undefined ? names[reference] : String.fromCodePoint(Number(decimal));
    if (end === '' || text === undefined) throw new Error(`&${reference} is not a reference`);
    if (!character.test(text)) throw new Error(`&${reference}; is not allowed`);
    return text;
  });
}
