import type { WebWarning } from '#model';

/** What this browser may see, as `GET /me` tells. */
export interface Me {
  readonly scope: 'all' | 'share';
  /** The only session of a share. */
  readonly session?: string;
  readonly write: boolean;
  /** The name of the coordinator. */
  readonly coordinator: string;
  /** The name of the machine on which the coordinator runs; for its owner only. */
  readonly machine?: string;
  /** The home directory of its user there; for its owner only. */
  readonly home?: string;
  /** The names of other coordinators whose sessions it may see. */
  readonly others?: readonly string[];
  /** Why some are not known. */
  readonly problems?: readonly string[];
  /** Whether they come and go by themselves. */
  readonly isChanging?: boolean;
  /** The colour scheme of the configuration, or why it cannot be read. */
  readonly theme?: { readonly text: string } | { readonly problem: string };
  /** Logins that may not be the person's own. */
  readonly warnings?: readonly WebWarning[];
  /** Push messages; absent if the page offers none. */
  readonly push?: {
    /** The server's public key, a point of P-256 in base64url. */
    readonly key: string;
    /** Whether the server sends them to this login. */
    readonly isOn: boolean;
    /** Whether they tell what is asked and where. */
    readonly content: boolean;
  };
  /** This browser's own login; absent from an older daemon. */
  readonly login?: {
    readonly id: string;
    /** What its person calls it, else what the browser says that it is. */
    readonly name: string;
    readonly isNamed: boolean;
    /** Whether other browsers are logged in. */
    readonly hasOthers?: boolean;
  };
}

/** Why a person cannot log in, for people. */
export class LoginError extends Error {}

/**
 * Exchanges the token of the address (`#t=TOKEN`) for a cookie, and removes it from the address and the
 * history. Returns what the browser may see; null if it has no valid cookie.
 *
 * @throws LoginError if the token is refused
 */
export async function login(): Promise<Me | null> {
  const token = /^#t=([\w-]+)$/.exec(location.hash)?.[1];
  if (token !== undefined) {
    history.replaceState(null, '', `${location.pathname}#/`);
    await exchange(token);
  }
  return me();
}

async function exchange(token: string): Promise<void> {
  const answer = await fetch('/login', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token }),
  });
  const { status } = answer;
  if (status === 429) throw new LoginError('Too many attempts. Wait a minute and try again.');
  // A browser that is logged in may open an old link.
  if (status === 401 && (await me()) === null) {
    // The server knows whether the link was used before or has expired.
    const why = (await answer.text()).trim();
    throw new LoginError(`You are not logged in: ${why}.`);
  }
}

/** An answer that is later than this is not expected, in ms. */
const answerMs = 5_000;

/** Returns null without a valid cookie. @throws Error if nothing answers */
export async function me(): Promise<Me | null> {
  const response = await fetch('/me', { signal: AbortSignal.timeout(answerMs) });
  if (response.ok) return (await response.json()) as Me;
  if (response.status === 401) return null;
  throw new Error(`the server answered ${response.status}`);
}

/** Gives this browser a name, for others. @throws Error that says why not */
export async function nameLogin(name: string): Promise<void> {
  await posted('/name', { name });
}

/** For how long a link is good, in ms; the server has the same time. */
const linkMs = 60_000;

/** Makes a link for one login of another browser. @throws Error that says why not */
export async function newLink(): Promise<{ readonly url: string; readonly ms: number }> {
  const { token } = (await (await posted('/link', {})).json()) as { readonly token: string };
  return { url: `${location.origin}/#t=${token}`, ms: linkMs };
}

/** Sends a request that has an effect. @param body null: to remove what is there @throws Error that says why it failed */
export async function posted(path: string, body: object | null): Promise<Response> {
  const headers = { 'content-type': 'application/json' };
  const signal = AbortSignal.timeout(answerMs);
  const request =
    body === null
      ? { method: 'DELETE', signal }
      : { method: 'POST', headers, body: JSON.stringify(body), signal };
  const response = await fetch(path, request);
  if (!response.ok) throw new Error((await response.text()).trim());
  return response;
}
