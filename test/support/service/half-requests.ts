import { preface } from '../../../src/wire/service/frames/frame.ts';
import { grpcHeaders, grpcMessage, http2Frame, http2Greeting } from './raw-client.ts';

/** What a client sends of a request before it stops. */
type Parts = readonly (string | Uint8Array)[];

const post = 'POST /vtr.VTR/SendText HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n';
const headers = http2Frame(1, 4, 1, grpcHeaders('SendText'));

/** Requests without a complete head. */
export const halfHeads: Readonly<Record<string, Parts>> = {
  nothing: [],
  'half of the preface of vtr': [preface.slice(0, 2)],
  'half of the preface of HTTP/2': ['PRI * HT'],
  'no settings of HTTP/2': ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  'half of the head of an HTTP/2 frame': [http2Greeting, Buffer.from([0, 0])],
  'HTTP/2 headers without their end': [http2Greeting, http2Frame(1, 0, 1, grpcHeaders('List'))],
  'half of an HTTP/2 frame': [http2Greeting, headers.subarray(0, 40)],
  'half of a request line': ['POST /vtr'],
  'half of the headers': [post],
  'half of a head in frames': [preface, Buffer.from([50, 0, 0])],
};

/** Requests without a complete body. */
export const halfBodies: Readonly<Record<string, Parts>> = {
  'no body': [`${post}content-length: 9\r\n\r\n`],
  'half of a body': [`${post}content-length: 9\r\n\r\n{`],
  'chunks without an end': [`${post}transfer-encoding: chunked\r\n\r\n1\r\n{\r\n`],
  'no message of gRPC': [http2Greeting, headers],
  'half of a message': [
    ...[http2Greeting, headers],
    http2Frame(0, 0, 1, grpcMessage(Buffer.alloc(0), 100)),
  ],
  'a message without the end of its stream': [
    ...[http2Greeting, headers],
    http2Frame(0, 0, 1, grpcMessage(Buffer.alloc(0), 0)),
  ],
};
