import { Code, ConnectError } from '@connectrpc/connect';
import type { WebControls } from '#model';
import { fromNamed } from '../../convert/sessions/session-ref.ts';
import {
  fromShareFields,
  fromWebFields,
  toSharedLink,
  toWebShare,
  toWebStatus,
} from '../../convert/sessions/web.ts';
import { accepted, type Handlers } from '../accepted.ts';

type WebCall = 'startWeb' | 'stopWeb' | 'describeWeb' | 'shareWeb' | 'listShares' | 'unshare';

/** The calls about the web page. @param web null where no daemon serves the coordinator */
export function webHandlers(web: WebControls | null): Handlers<WebCall> {
  const controls = (): WebControls => {
    if (web !== null) return web;
    throw new ConnectError('no daemon serves this coordinator', Code.Unimplemented);
  };
  return {
    startWeb: (request, context) =>
      accepted(context, () => controls().start(fromWebFields(request))),
    async stopWeb(_request, context) {
      await accepted(context, () => controls().stop());
      return {};
    },
    describeWeb: (_request, context) =>
      accepted(context, async () => toWebStatus(controls().describe())),
    async shareWeb(request, context) {
      const share = () => controls().share(fromNamed(request), fromShareFields(request));
      return toSharedLink(await accepted(context, share));
    },
    listShares: (_request, context) =>
      accepted(context, async () => {
        const shares = await controls().shares();
        return { shares: shares.map(toWebShare) };
      }),
    async unshare({ id }, context) {
      await accepted(context, async () => controls().unshare(id));
      return {};
    },
  };
}
