export {
  type ExpectedScreen,
  expectScreen,
  type MatchOptions,
  ScreenMismatch,
} from './expect-screen.ts';
export {
  type ClickTarget,
  type CommandOutcome,
  type LibraryTerminal as Terminal,
  type TerminalOptions,
  terminal,
} from './terminal.ts';
