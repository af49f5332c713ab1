import { Code, ConnectError, type HandlerContext } from '@connectrpc/connect';
import type { TmuxCalls, WebControls } from '#model';
import { type DaemonControls, toDaemon } from '../../convert/sessions/daemon.ts';
import { fromNamed } from '../../convert/sessions/session-ref.ts';
import { fromTmuxFields, toTmuxAnswer } from '../../convert/sessions/tmux.ts';
import {
  fromShareFields,
  fromWebFields,
  toSharedLink,
  toWebShare,
  toWebStatus,
} from '../../convert/sessions/web.ts';
import { accepted, type Handlers } from '../accepted.ts';

export interface DaemonPorts {
  readonly daemon: DaemonControls | null;
  readonly web: WebControls | null;
  readonly tmux: TmuxCalls | null;
}

type DaemonCall = 'describeDaemon' | 'stopDaemon' | 'restartDaemon';
type WebCall = 'startWeb' | 'stopWeb' | 'describeWeb' | 'shareWeb' | 'listShares' | 'unshare';

/** The calls to the daemon itself, its web page and its tmux servers. A port is null where no daemon serves. */
export function daemonHandlers({
  daemon,
  web,
  tmux,
}: DaemonPorts): Handlers<DaemonCall | WebCall | 'runTmux' | 'controlTmux'> {
  return {
    describeDaemon: calling(daemon, (to) => toDaemon(to.describe())),
    stopDaemon: calling(daemon, (to) => done(to.stop())),
    restartDaemon: calling(daemon, (to, { program }) => to.restart(program || undefined)),
    startWeb: calling(web, (to, request) => to.start(fromWebFields(request))),
    stopWeb: calling(web, async (to) => done(await to.stop())),
    describeWeb: calling(web, (to) => toWebStatus(to.describe())),
    shareWeb: calling(web, async (to, request) =>
      toSharedLink(await to.share(fromNamed(request), fromShareFields(request))),
    ),
    listShares: calling(web, async (to) => ({ shares: (await to.shares()).map(toWebShare) })),
    unshare: calling(web, (to, { id }) => done(to.unshare(id))),
    runTmux: calling(tmux, async (to, request, { signal }) =>
      toTmuxAnswer(await to.run(fromTmuxFields(request), signal)),
    ),
    controlTmux: calling(tmux, (to, { controlId, lines, run }, { signal }) =>
      to.control(controlId, run ? lines : null, signal),
    ),
  };
}

/** @param call must reach the port before it awaits anything */
function calling<Port, Request, Answer>(
  port: Port | null,
  call: (to: Port, request: Request, context: HandlerContext) => Promise<Answer> | Answer,
): (request: Request, context: HandlerContext) => Promise<Answer> {
  return (request, context) =>
    accepted(context, async () => {
      if (port !== null) return call(port, request, context);
      throw new ConnectError('no daemon serves this coordinator', Code.Unimplemented);
    });
}

/** The message of an answer that says nothing. */
const done = (_answer: unknown) => ({});
