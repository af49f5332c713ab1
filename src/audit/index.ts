export { Audit } from './audited.ts';
export type { AuditDetail, AuditEntry, NewEntry } from './entry.ts';
export { forwardTarget } from './forward-targets.ts';
export { Forwarder, forgetForwarded } from './forwarder.ts';
export { type AuditRead, filterOf, readTrail, TrailReader } from './read-trail.ts';
export { Trail, trailFiles } from './trail.ts';
export { type Break, type TrailCheck, verifyTrail } from './verify-trail.ts';
