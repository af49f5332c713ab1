/**
 * Text in chunks with its line ends as line feeds: a terminal puts a carriage return before each, and
 * before the one that the program put there itself. Carriage returns elsewhere stay, so that a bar
 * that is painted over and over remains what it was; several in a row say what one says. Those at the
 * end wait for what comes after them.
 */
export class LineEnds {
  #waiting = false;

  push(text: string): string {
    if (text === '') return '';
    const joined = this.#waiting ? `\r${text}` : text;
    const end = endBeforeReturns(joined);
    this.#waiting = end < joined.length;
    return withLineFeeds(joined.slice(0, end));
  }

  end(): string {
    const rest = this.#waiting ? '\r' : '';
    this.#waiting = false;
    return rest;
  }
}

function withLineFeeds(text: string): string {
  const usual = text.replaceAll('\r\n', '\n');
  if (!usual.includes('\r')) return usual;
  return usual.replace(/\r+\n?/g, (run) => (run.endsWith('\n') ? '\n' : '\r'));
}

function endBeforeReturns(text: string): number {
  let end = text.length;
  while (end > 0 && text[end - 1] === '\r') end--;
  return end;
}
