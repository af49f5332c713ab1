/** What is this far above or below the window counts as in view: it is there when a person scrolls. */
const rootMargin = '200px';

/** What is called when an element comes into view, or leaves it. */
const watched = new Map<Element, (isInView: boolean) => void>();
const observer = new IntersectionObserver(
  (entries) => {
    for (const { target, isIntersecting } of entries) watched.get(target)?.(isIntersecting);
  },
  { rootMargin },
);

/**
 * Calls `listener` when an element comes near the window, or leaves it; the first time in the next frame of the browser.
 * What is not displayed is never near. For an element with one listener.
 *
 * @returns ends it
 */
export function watchView(element: Element, listener: (isInView: boolean) => void): () => void {
  watched.set(element, listener);
  observer.observe(element);
  return () => {
    observer.unobserve(element);
    watched.delete(element);
  };
}

/** Reads in view at once: those of a row of tiles. Between them, what else the page waits for comes. */
const maxReads = 3;

interface WaitingRead {
  readonly read: () => Promise<unknown>;
  isDone: boolean;
}

const waiting = new Set<WaitingRead>();
let readCount = 0;

/**
 * Reads once what an element shows, when it comes into view: those that come at the same time in the order of the page,
 * few at once, and after other calls of their turn, such as that for the pictures of tiles.
 *
 * @param read handles its errors
 * @returns ends it
 */
export function readInView(element: Element, read: () => Promise<unknown>): () => void {
  const own: WaitingRead = { read, isDone: false };
  const unwatch = watchView(element, (isInView) => {
    if (own.isDone) return;
    if (!isInView) waiting.delete(own);
    else {
      waiting.add(own);
      setTimeout(readNext);
    }
  });
  return () => {
    unwatch();
    waiting.delete(own);
  };
}

function readNext(): void {
  for (const each of waiting) {
    if (readCount >= maxReads) return;
    waiting.delete(each);
    each.isDone = true;
    readCount++;
    void each.read().finally(() => {
      readCount--;
      readNext();
    });
  }
}
