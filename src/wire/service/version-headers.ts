/** The header of HTTP with the client's version of vtr. Unknown fields of a newer one are ignored. */
export const versionHeader = 'vtr-version';

/** The header of HTTP with fields that must not be ignored, separated by commas. */
export const neededHeader = 'vtr-needs';

/** The header of HTTP with the kind of client, for the audit trail; see `Client.kind`. */
export const clientHeader = 'vtr-client';
