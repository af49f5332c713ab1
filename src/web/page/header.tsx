import type { ComponentChildren } from 'preact';
import type { App } from './app.ts';
import { Icon } from './icon.tsx';
import { Popup } from './popup.tsx';

interface HeaderProps {
  readonly app: App;
  /** What is there, in a few words. */
  readonly status: ComponentChildren;
  /** The field that filters or searches. */
  readonly search: ComponentChildren;
  /** What is in the menu of the page. */
  readonly menu: () => ComponentChildren;
  /** The most important buttons. */
  readonly children?: ComponentChildren;
}

/** The top of the page: one row with the machine, what is there, a search field and buttons. */
export function Header({ app, status, search, menu, children }: HeaderProps) {
  const { machine = app.me.coordinator, coordinator } = app.me;
  return (
    <header class="bar header">
      <span class="brand" aria-hidden="true">
        <b>▸_</b> vtr
      </span>
      <h1 class="cut" title={`Coordinator ${coordinator}`}>
        {app.me.scope === 'share' ? 'Shared session' : machine}
      </h1>
      <span class="status-of-all" role="status">
        {status}
      </span>
      <span class="gap" />
      <span class="find">
        <Icon name="search" />
        {search}
      </span>
      {children}
      <Popup label="Menu" sign={<Icon name="more" />}>
        {menu}
      </Popup>
    </header>
  );
}
