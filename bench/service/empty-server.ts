// A server of the official library whose only method returns an empty message. The first argument is its socket.
import { createServer } from 'node:http2';
import { create } from '@bufbuild/protobuf';
import { EmptySchema } from '@bufbuild/protobuf/wkt';
import { connectNodeAdapter } from '@connectrpc/connect-node';
import { emptyService } from './empty-service.ts';

const handler = connectNodeAdapter({
  routes: (router) => router.service(emptyService, { nothing: () => create(EmptySchema) }),
});
createServer(handler).listen(process.argv[2], () => process.send?.('listening'));
process.once('disconnect', () => process.exit());
