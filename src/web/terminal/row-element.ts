import { safeLink } from '#base';
import { type Cell, isSameStyle, plainStyle, runsOfCells, type Style } from '#model';
import { cellColors, type ProgramColors } from './colors.ts';

/** Text of which every font has each character in one column. */
const plainText = /^[\x20-\x7e\xa0-\xff\u2500-\u259f]*$/;

/**
 * Shows cells in an element, as text in spans: one for each run of a style. Characters whose width
 * fonts dispute are in boxes of their columns. Blanks at the end are left out.
 */
export function showCells(
  element: HTMLElement,
  cells: readonly Cell[],
  colors: ProgramColors,
): void {
  const nodes: Node[] = [];
  for (const { text, cols, cluster, style } of runsOfCells(cells)) {
    const graphemes = cluster ? [text] : [...text];
    const isPlain = plainText.test(text) && cols === graphemes.length;
    const parts = isPlain ? [text] : boxes(graphemes, cols / graphemes.length);
    if (isPlain && isSameStyle(style, plainStyle) && !colors.reverseVideo)
      nodes.push(new Text(text));
    else nodes.push(styled(style, parts, colors));
  }
  element.replaceChildren(...nodes);
}

const boxes = (graphemes: readonly string[], cols: number): HTMLElement[] =>
  graphemes.map((grapheme) => {
    const box = document.createElement('span');
    box.className = cols === 2 ? 'w2' : 'w1';
    box.textContent = grapheme;
    return box;
  });

const attributes = ['bold', 'italic', 'dim', 'blink', 'strikethrough', 'overline'] as const;

function styled(
  style: Style,
  parts: readonly (string | HTMLElement)[],
  colors: ProgramColors,
): HTMLElement {
  const link = safeLink(style.link, 'browser');
  const span = document.createElement(link === null ? 'span' : 'a');
  const names: string[] = attributes.filter((name) => style[name]);
  if (style.underline !== 'none') names.push(`underline-${style.underline}`);
  // Concealed text is not for eyes, but the row keeps it, as other readers of the screen have it.
  if (style.hidden) names.push('concealed');
  const { front, back } = cellColors(style, colors);
  if (back !== null) names.push('filled');
  if (names.length > 0) span.className = names.join(' ');
  if (front !== null) span.style.color = front;
  if (back !== null) span.style.backgroundColor = back;
  if (style.underlineColor !== null && style.underline !== 'none') {
    const line = cellColors({ ...plainStyle, fg: style.underlineColor }, colors).front;
    if (line !== null) span.style.textDecorationColor = line;
  }
  if (link !== null) span.dataset['href'] = link;
  span.append(...parts);
  return span;
}
