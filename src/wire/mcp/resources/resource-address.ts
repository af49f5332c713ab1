/** The resources of a session. */
export const resourceNames = ['screen', 'scrollback', 'commands'] as const;

export type ResourceName = (typeof resourceNames)[number];

export interface ResourceAddress {
  readonly session: string;
  readonly name: ResourceName;
}

export const resourceUri = ({ session, name }: ResourceAddress): string =>
  `terminal://${session}/${name}`;

/** Returns null for any other URI. */
export function parseResourceUri(uri: string): ResourceAddress | null {
  const [, session = '', word = ''] = /^terminal:\/\/([^/]+)\/([a-z]+)$/.exec(uri) ?? [];
  const name = resourceNames.find((each) => each === word);
  return name === undefined ? null : { session, name };
}
