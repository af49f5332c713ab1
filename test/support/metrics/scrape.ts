import { request } from 'node:http';
import { type ParsedFamily, parseOpenMetrics } from './open-metrics.ts';

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** Makes a request of HTTP/1.1 to a Unix socket. */
export const requested = (
  socketPath: string,
  {
    path = '/metrics',
    method = 'GET',
    headers = {},
  }: Readonly<
    Partial<{ path: string; method: string; headers: Readonly<Record<string, string>> }>
  > = {},
): Promise<HttpAnswer> =>
  new Promise((resolve, reject) => {
    const outgoing = request({ socketPath, path, method, headers, agent: false }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (text) => {
        body += text;
      });
      response.on('error', reject).on('end', () => {
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body });
      });
    });
    outgoing.on('error', reject).end();
  });

/** Returns the metrics that a coordinator tells at its socket. */
export const scraped = async (socket: string): Promise<ReadonlyMap<string, ParsedFamily>> =>
  parseOpenMetrics((await requested(socket)).body);
