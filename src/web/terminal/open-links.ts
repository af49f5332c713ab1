/** Whether a finger points, which has no ctrl key. */
const isTouched = (): boolean => matchMedia('(pointer: coarse)').matches;

/**
 * Opens a link of the program's output by a click with ctrl or cmd, and shows its address before. A finger opens it
 * by a tap; first the person sees the address, unless it is the text itself.
 */
export function openLinks(terminal: HTMLElement): void {
  const linkOf = ({ target }: Event): HTMLElement | null =>
    target instanceof Element ? target.closest<HTMLElement>('a[data-href]') : null;
  terminal.addEventListener('mouseover', (event) => {
    const link = linkOf(event);
    if (link !== null) link.title = `${link.dataset['href']} (ctrl+click opens it)`;
  });
  terminal.addEventListener('click', (event) => {
    const link = linkOf(event);
    const href = link?.dataset['href'];
    if (link === null || href === undefined) return;
    if (!(event.ctrlKey || event.metaKey)) {
      const isKnown = 'shown' in link.dataset;
      if (!isTouched() || !(isKnown || confirm(`Open ${href}?`))) return;
    }
    event.preventDefault();
    open(href, '_blank', 'noopener,noreferrer');
  });
}
