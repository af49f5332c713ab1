import type { IncomingMessage } from 'node:http';
import { callAs } from '#model';
import type { WebAccess } from '../access/web-access.ts';
import { notLoggedIn, otherSession, type Refusal, refusalFor, tooMany } from '../http/answers.ts';
import { hostRefusal, refusalOf, visitorOf } from '../http/gate.ts';
import type { Origins } from '../http/origins.ts';
import { offeredProtocols, pathOf, type RequestParts } from '../http/request-handler.ts';
import type { Asked } from './connected-page.ts';

export const alisProtocol = 'v1.alis';

type Parts = Pick<RequestParts, 'access' | 'sessions' | 'port'> & {
  readonly access: WebAccess;
  readonly origins: Origins;
};

/**
 * Returns the session that a player may see, or why it may not: `/alis/SESSION` with a login and from
 * our own page, or `/alis/SESSION?t=SECRET` of a share from any page.
 */
export async function alisRequest(
  request: IncomingMessage,
  parts: Parts,
): Promise<Asked | Refusal> {
  const { url = '' } = request;
  const name = /^\/alis\/([A-Za-z0-9._-]{1,64})$/.exec(pathOf(request) ?? '')?.[1];
  const secret = new URLSearchParams(url.split('?')[1] ?? '').get('t');
  const access = { request, acts: true, isEntry: false };
  const refusal =
    secret === null ? refusalOf(access, parts.origins) : hostRefusal(request, parts.origins);
  if (refusal !== null) return refusal;
  if (name === undefined) return { status: 404, message: 'there is nothing at this address' };
  const offered = offeredProtocols(request);
  if (offered.length > 0 && !offered.includes(alisProtocol)) {
    return { status: 400, message: `use the subprotocol ${alisProtocol}` };
  }
  return secret === null ? byLogin(request, name, parts) : bySecret(secret, name, parts.access);
}

function bySecret(secret: string, name: string, access: WebAccess): Asked | Refusal {
  const share = access.player(secret);
  if (share === 'too_many') return tooMany;
  if (share === 'wrong' || share.session !== name) {
    const message = 'the address is wrong, or its share has ended';
    return { status: 401, lacks: 'token', message };
  }
  return { share, sessionId: share.sessionId, login: null };
}

async function byLogin(
  request: IncomingMessage,
  name: string,
  parts: Parts,
): Promise<Asked | Refusal> {
  const visitor = visitorOf(request, parts);
  if (visitor === null) return notLoggedIn;
  const { login, share } = visitor;
  if (share !== null) {
    if (share.session === name) return { login, share, sessionId: share.sessionId };
    return otherSession;
  }
  try {
    const { id } = await callAs({ kind: 'web' }, () => parts.sessions.info(name));
    return { login, share, sessionId: id };
  } catch (error) {
    return refusalFor(error);
  }
}
