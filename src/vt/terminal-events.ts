/** What output did besides changing the screen. Each kind at most once a feed. */
export type TerminalEvent =
  | { readonly type: 'title'; readonly title: string }
  | { readonly type: 'bell'; readonly count: number };
