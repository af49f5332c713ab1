export { checkProgram, type ProcessEntry } from '#pty';
export { FedSession } from './fed-session.ts';
export { scrollbackLimits } from './scrollback-limits.ts';
export { Session, type SessionFacts } from './session.ts';
export { type SessionDefaults, SessionFactory } from './session-factory.ts';
export { SessionView, type ShellState } from './session-view.ts';
