import type { Signal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { directoryOf, needsText } from '#model';
import { sentOf } from '../agents/answering.ts';
import type { Placed } from '../page/app.ts';
import { keptWords } from '../page/kept.ts';
import { isForPage } from '../page/keys.ts';
import { isNew, neighbour, type Section, sectionsOf, withFolded } from './section-list.ts';
import { tildePath } from './session-filter.ts';
import { Tile } from './tile.tsx';

/** The sections that the person has folded or opened. */
const foldings: Signal<ReadonlySet<string>> = keptWords('grid.folded');

interface SectionsProps {
  /** In the order in which they are shown. */
  readonly sessions: readonly Placed[];
  readonly byDirectory: boolean;
}

/** The sessions in sections with headings, which fold. Arrow keys, `j` and `k` go from one to another. */
export function Sections({ sessions, byDirectory }: SectionsProps) {
  const element = useRef<HTMLDivElement>(null);
  useTileKeys();
  useFocusThatStays(element);
  const sections = sectionsOf(sessions, {
    byDirectory,
    pathOf: ({ app, info }) => tildePath(app, directoryOf(info)),
    isAnswered: (info) => sentOf(info) !== null,
    choices: foldings.value,
  });
  return (
    <div
      class={`sections${byDirectory ? ' by-directory' : ''}${sessions.length === 1 ? ' only' : ''}`}
      ref={element}
    >
      {sections.map((section) => (
        <SectionView key={section.key} section={section} />
      ))}
    </div>
  );
}

function SectionView({ section }: { readonly section: Section<Placed> }) {
  const { key, name, isCounted, isRows, isFolded, sessions } = section;
  const shown = isFolded ? sessions.filter(({ info }) => isNew(info)) : sessions;
  const isSilent = !isCounted && sessions[0]?.app.sessions.isSilent.value === true;
  const fold = () => {
    foldings.value = withFolded(foldings.value, key, !isFolded);
  };
  return (
    <section
      aria-label={name}
      class={isCounted ? `section ${key}` : 'section'}
      style={{ '--count': String(shown.length) }}
    >
      <header>
        <h2>
          <button type="button" class="quiet fold" aria-expanded={!isFolded} onClick={fold}>
            {isCounted ? `${name} (${sessions.length})` : name}
            {isSilent && ' · does not answer'}
          </button>
        </h2>
        {!isCounted && <span class="soft">{needsText(sessions.map(({ info }) => info))}</span>}
      </header>
      <ul class={isRows ? 'tiles rows' : 'tiles'}>
        {shown.map(({ app, info }) => (
          <Tile key={info.id} app={app} info={info} isRow={isRows} />
        ))}
      </ul>
    </section>
  );
}

const tileLinks = (): HTMLElement[] => [
  ...document.querySelectorAll<HTMLElement>('.sections .tile > a'),
];

const directions: Readonly<Record<string, string>> = {
  ArrowLeft: 'left',
  ArrowRight: 'right',
  ArrowUp: 'up',
  ArrowDown: 'down',
};

/** Arrow keys go to the tile beside, above or below; `j` and `k` to the next and the previous one; Home and End. */
function useTileKeys(): void {
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      const { key, target } = event;
      const isAtTile = target instanceof HTMLElement && target.matches('.tile > a');
      const isFree = isAtTile || target === document.body || key === 'j' || key === 'k';
      if (!isForPage(event) || event.defaultPrevented || !isFree) return;
      const links = tileLinks();
      const to = links[indexFor(links, key)];
      if (to === undefined) return;
      event.preventDefault();
      to.focus();
      to.scrollIntoView({ block: 'nearest' });
    };
    addEventListener('keydown', pressed);
    return () => removeEventListener('keydown', pressed);
  }, []);
}

/** Returns the index of the link that a key goes to; -1 for none. */
function indexFor(links: readonly HTMLElement[], key: string): number {
  const at = links.indexOf(document.activeElement as HTMLElement);
  if (key === 'j') return at + 1;
  if (key === 'k') return at < 0 ? -1 : at - 1;
  if (at >= 0 && key === 'Home') return 0;
  if (at >= 0 && key === 'End') return links.length - 1;
  const direction = directions[key];
  if (direction === undefined) return -1;
  return neighbour(
    links.map((link) => link.getBoundingClientRect()),
    at,
    direction,
  );
}

/** Gives the focus to the next session that asks, behind the one that has it; from the last one to the first. */
export function focusNextThatAsks(): void {
  const links = tileLinks();
  const asking = links.filter((link) => link.parentElement?.classList.contains('asks'));
  const now = links.findIndex((link) => link.parentElement?.contains(document.activeElement));
  const next = asking.find((link) => links.indexOf(link) > now) ?? asking[0];
  next?.focus();
  next?.parentElement?.scrollIntoView({ block: 'nearest' });
}

/**
 * A session keeps the focus when what had it goes: its tile comes into another section, or its question is answered.
 * Changes of the elements are followed, not those of the list: a part of a tile is also drawn without the list.
 */
function useFocusThatStays(element: { readonly current: HTMLElement | null }): void {
  useLayoutEffect(() => {
    let session: string | null = null;
    const focused = ({ target }: Event) => {
      const tile = target instanceof HTMLElement ? target.closest<HTMLElement>('.tile') : null;
      session = tile?.dataset['session'] ?? null;
    };
    const changes = new MutationObserver(() => {
      if (session === null || document.activeElement !== document.body) return;
      const tiles = element.current?.querySelectorAll<HTMLElement>('.tile') ?? [];
      const tile = [...tiles].find(({ dataset }) => dataset['session'] === session);
      tile?.querySelector('a')?.focus({ preventScroll: true });
    });
    const events = ['focusin', 'pointerdown'] as const;
    for (const type of events) addEventListener(type, focused);
    if (element.current) changes.observe(element.current, { childList: true, subtree: true });
    return () => {
      changes.disconnect();
      for (const type of events) removeEventListener(type, focused);
    };
  }, []);
}
