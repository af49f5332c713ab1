export { Session } from './session.ts';
export { type SessionDefaults, SessionFactory } from './session-factory.ts';
