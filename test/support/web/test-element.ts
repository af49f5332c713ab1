/** As much of an element as the page's terminal uses. It has no layout: tests set its measures. */
export class TestElement extends EventTarget {
  className = '';
  hidden = false;
  readonly dataset: Record<string, string | undefined> = {};
  readonly style: Record<string, string> = {};
  /** Elements and texts. */
  children: (TestElement | TestText)[] = [];
  parent: TestElement | null = null;
  scrollTop = 0;
  clientHeight = 0;
  scrollHeight = 0;
  offsetTop = 0;
  readonly tag: string;

  constructor(tag = 'div') {
    super();
    this.tag = tag;
  }

  get textContent(): string {
    return this.children.map((each) => each.textContent).join('');
  }

  set textContent(text: string) {
    this.replaceChildren(...(text === '' ? [] : [new TestText(text)]));
  }

  append(...added: (TestElement | TestText | string)[]): void {
    this.#insert(this.children.length, added);
  }

  prepend(...added: (TestElement | TestText | string)[]): void {
    this.#insert(0, added);
  }

  before(...added: TestElement[]): void {
    const { parent } = this;
    if (parent !== null) parent.#insert(parent.children.indexOf(this), added);
  }

  replaceChildren(...added: (TestElement | TestText | string)[]): void {
    this.children = [];
    this.append(...added);
  }

  remove(): void {
    if (this.parent !== null) {
      this.parent.children = this.parent.children.filter((each) => each !== this);
    }
    this.parent = null;
  }

  contains(other: unknown): boolean {
    return (
      other === this ||
      this.children.some((each) => each instanceof TestElement && each.contains(other))
    );
  }

  #insert(at: number, added: readonly (TestElement | TestText | string)[]): void {
    const nodes = added.map((each) => (typeof each === 'string' ? new TestText(each) : each));
    for (const each of nodes) if (each instanceof TestElement) each.parent = this;
    this.children.splice(at, 0, ...nodes);
  }
}

/** A text node. */
class TestText {
  readonly textContent: string;

  constructor(text: string) {
    this.textContent = text;
  }
}

/** The globals of a page that make such elements. */
export const testPage = {
  document: { createElement: (tag: string) => new TestElement(tag) },
  Text: TestText,
};
