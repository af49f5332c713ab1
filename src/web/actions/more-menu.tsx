import { useEffect, useRef } from 'preact/hooks';
import type { SessionInfo } from '#model';
import { type App, addressOf } from '../page/app.ts';
import { isPhone } from '../page/device.ts';
import { closeDialog, Dialog, openDialog } from '../page/dialog.tsx';
import { Icon } from '../page/icon.tsx';
import { type SessionAction, sessionActions } from './session-actions.ts';

/** About how wide the menu is, in CSS pixels, and how high an entry. */
const width = 220;
const entryHeight = 34;
const margin = 8;

interface MoreProps {
  readonly app: App;
  readonly info: SessionInfo;
  /** What can be done besides, where the session is shown. */
  readonly also?: readonly SessionAction[];
}

/** A button with a menu of what a person can do with a session. */
export function More({ app, info, also = [] }: MoreProps) {
  return (
    <button
      type="button"
      class="icon more"
      aria-label="More"
      title={`More: ${addressOf(app, info.name)}`}
      aria-haspopup="menu"
      onClick={({ currentTarget }) =>
        openMenu(currentTarget, [...also, ...sessionActions(app, info)])
      }
    >
      <Icon name="more" />
    </button>
  );
}

/** Opens a menu below an element, or above it where there is no room; on a phone, a sheet at the bottom. */
export function openMenu(below: Element, actions: readonly SessionAction[]): void {
  if (isPhone()) {
    openDialog(() => (
      <Dialog label="More" class="menu-dialog sheet">
        <Menu actions={actions} />
      </Dialog>
    ));
    return;
  }
  const box = below.getBoundingClientRect();
  const height = actions.length * entryHeight + 2 * margin;
  const left = Math.max(margin, Math.min(box.right - width, innerWidth - width - margin));
  const top = Math.max(margin, Math.min(box.bottom + 4, innerHeight - height - margin));
  openDialog(() => (
    <Dialog label="More" class="menu-dialog" at={{ left, top }}>
      <Menu actions={actions} />
    </Dialog>
  ));
}

/** The dialog is closed first: the action may open another one. */
function act({ run }: SessionAction): void {
  closeDialog();
  run();
}

function Menu({ actions }: { readonly actions: readonly SessionAction[] }) {
  const menu = useRef<HTMLDivElement>(null);
  const items = () => [...(menu.current?.querySelectorAll<HTMLElement>('[role=menuitem]') ?? [])];
  useEffect(() => items()[0]?.focus(), []);
  const pressed = (event: KeyboardEvent) => {
    const action = actions.find(({ key }) => key === event.key);
    if (action !== undefined) {
      event.preventDefault();
      act(action);
      return;
    }
    const all = items();
    const at = all.indexOf(document.activeElement as HTMLElement);
    const last = all.length - 1;
    const starting = (each: HTMLElement) =>
      each.textContent?.toLowerCase().startsWith(event.key.toLowerCase()) ?? false;
    const byKey: Readonly<Record<string, number>> = {
      ArrowDown: at === last ? 0 : at + 1,
      ArrowUp: at <= 0 ? last : at - 1,
      Home: 0,
      End: last,
    };
    const next = all[byKey[event.key] ?? -1] ?? [...all.slice(at + 1), ...all].find(starting);
    if (event.key === 'Tab') closeDialog();
    if (next === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    next.focus();
  };
  return (
    <div ref={menu} class="menu" role="menu" tabIndex={-1} aria-label="More" onKeyDown={pressed}>
      {actions.map((action) => (
        <button
          type="button"
          role="menuitem"
          key={action.name}
          aria-label={action.name}
          class={action.isDanger ? 'danger' : ''}
          onClick={() => act(action)}
        >
          {action.name}
          {action.key !== undefined && <kbd>{action.key}</kbd>}
        </button>
      ))}
    </div>
  );
}
