/** Opens a link of the program's output by a click with ctrl or cmd, and shows its address before. */
export function openLinks(terminal: HTMLElement): void {
  const linkOf = ({ target }: Event): HTMLElement | null =>
    target instanceof Element ? target.closest<HTMLElement>('a[data-href]') : null;
  terminal.addEventListener('mouseover', (event) => {
    const link = linkOf(event);
    if (link !== null) link.title = `${link.dataset['href']} (ctrl+click opens it)`;
  });
  terminal.addEventListener('click', (event) => {
    const href = linkOf(event)?.dataset['href'];
    if (href === undefined || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    open(href, '_blank', 'noopener,noreferrer');
  });
}
