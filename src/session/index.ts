export { inSession } from './in-session.ts';
export { Session, type SessionFacts } from './session.ts';
export { type SessionDefaults, SessionFactory } from './session-factory.ts';
