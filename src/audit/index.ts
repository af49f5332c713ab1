export { Audit } from './audited.ts';
export type { AuditDetail, AuditEntry, NewEntry } from './entry.ts';
export { readTrail, TrailReader, wanted } from './read-trail.ts';
export { Trail, trailFiles } from './trail.ts';
export { type TrailCheck, verifyTrail } from './verify-trail.ts';
