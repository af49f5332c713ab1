import { once } from 'node:events';
import { type Client, createClient } from '@connectrpc/connect';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { VTR } from '#messages';
import type { Coordinator } from '#model';
import { connect } from '#wire/service';
import { JsonCoordinator } from '#wire/service/short';
import { SessionDriver } from '../support/command/session-driver.ts';
import { parseOpenMetrics, sampleOf } from '../support/metrics/open-metrics.ts';
import { requested, scraped } from '../support/metrics/scrape.ts';
import { http2Client } from '../support/service/raw-client.ts';
import { type ServedCoordinator, serveCoordinator } from '../support/service/served-coordinator.ts';
import { wireTransport } from '../support/service/wire-client.ts';

describe('the metrics of the service', () => {
  let served: ServedCoordinator;
  let frames: Coordinator;
  let grpc: Client<typeof VTR>;

  beforeEach(async () => {
    served = await serveCoordinator({}, { limits: { connectionRequestBytes: 32 * 1024 } });
    frames = await connect({ socket: served.socket });
    grpc = createClient(VTR, wireTransport(served));
  });
  afterEach(async () => {
    await frames.close();
    await served.end();
  });

  const sample = async (name: string, labels: Readonly<Record<string, string>> = {}) =>
    sampleOf(await scraped(served.socket), name, labels) ?? 0;
  const callsOf = (method: string, code: string) => sample('vtr_calls_total', { method, code });
  const openCallsOf = (method: string) => sample('vtr_calls_in_progress', { method });

  it('count the calls of every protocol once, by method and error', async () => {
    const json = new JsonCoordinator(served.socket);
    const page = served.server.jsonCalls.connect();
    const calls: readonly (readonly [
      list: () => Promise<unknown>,
      info: () => Promise<unknown>,
    ])[] = [
      [() => frames.list(), () => frames.info('zebra')],
      [() => json.list(), () => json.info('zebra')],
      [() => grpc.list({}), () => grpc.info({ name: 'zebra' })],
      [() => page.unary('List', {}), () => page.unary('Info', { name: 'zebra' })],
    ];
    for (const [index, [list, info]] of calls.entries()) {
      await list();
      await expect(info()).rejects.toThrow();
      expect([await callsOf('List', 'OK'), await callsOf('Info', 'SESSION_NOT_FOUND')]).toEqual([
        index + 1,
        index + 1,
      ]);
    }
    expect(await sample('vtr_call_duration_seconds_count', { method: 'Info' })).toBe(4);
    expect(await openCallsOf('List')).toBe(0);
    expect((await requested(served.socket)).body).not.toContain('zebra');
  });

  it('count calls under way, and those whose client has left as cancelled', async () => {
    const { name } = await new SessionDriver(served.local).ready('echo ready; cat');
    const subscription = await frames.subscribe(name);
    const events = subscription[Symbol.asyncIterator]();
    await events.next();
    const controllers = [new AbortController(), new AbortController()] as const;
    const [byFrames, byGrpc] = controllers.map(({ signal }) => signal) as [
      AbortSignal,
      AbortSignal,
    ];
    const waits = [
      frames.wait(name, { match: ['never'], signal: byFrames }),
      grpc.wait({ name, wait: { match: ['never'] } }, { signal: byGrpc }),
      frames.wait(name, { match: ['^here'] }),
    ];
    const ends = Promise.allSettled(waits);
    await expect.poll(() => openCallsOf('Wait')).toBe(3);
    expect(await openCallsOf('Subscribe')).toBe(1);
    for (const controller of controllers) controller.abort();
    await served.local.sendText(name, 'here\r');
    expect((await ends).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
    subscription.dispose();
    await expect.poll(() => openCallsOf('Wait')).toBe(0);
    await expect.poll(() => openCallsOf('Subscribe')).toBe(0);
    expect([await callsOf('Wait', 'OK'), await callsOf('Wait', 'CANCELLED')]).toEqual([1, 2]);
    expect(await callsOf('Subscribe', 'CANCELLED')).toBe(1);
    // A stream has no duration.
    expect(await sample('vtr_call_duration_seconds_count', { method: 'Subscribe' })).toBe(0);
  });

  it('count a stream that ends by itself as a success', async () => {
    const { name } = await new SessionDriver(served.local).sh('exit 0');
    for await (const _event of await frames.subscribe(name)) {
      // Up to the exit.
    }
    await expect.poll(() => callsOf('Subscribe', 'OK')).toBe(1);
  });

  it('count connections, and requests that are too many', async () => {
    const before = await sample('vtr_connections_accepted_total');
    // Each request is one more.
    expect(await sample('vtr_connections_accepted_total')).toBe(before + 1);
    expect(await sample('vtr_connections')).toBeGreaterThanOrEqual(2);
    const json = new JsonCoordinator(served.socket);
    await expect(json.sendText('none', 'x'.repeat(64 * 1024))).rejects.toMatchObject({
      code: 'REQUEST_BACKLOG',
    });
    expect(await sample('vtr_requests_refused_total')).toBe(1);
  });

  it('are answered by HTTP/1.1 and HTTP/2, in the format that is asked for', async () => {
    const { socket } = served;
    await frames.list();
    const get = await requested(socket);
    expect(get.headers['content-type']).toBe(
      'application/openmetrics-text; version=1.0.0; charset=utf-8',
    );
    expect(get.status).toBe(200);
    const names = [...parseOpenMetrics(get.body).keys()];
    const prometheus = await requested(socket, { headers: { accept: 'text/plain' } });
    expect(prometheus.headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(prometheus.body).toContain('# TYPE vtr_calls_total counter\n');
    const json = await requested(socket, { headers: { accept: 'application/json' } });
    const { metrics } = JSON.parse(json.body);
    expect(metrics.map((each: { name: string }) => each.name)).toEqual(names);
    const head = await requested(socket, { method: 'HEAD' });
    expect([head.status, head.body, Number(head.headers['content-length']) > 100]).toEqual([
      ...[200, '', true],
    ]);
    const post = await requested(socket, { method: 'POST' });
    expect([post.status, post.headers['allow'], post.body]).toEqual([
      405,
      'GET, HEAD',
      'use GET\n',
    ]);
    expect((await requested(socket, { path: '/metric' })).status).toBe(404);

    const stream = http2Client(socket).request({ ':path': '/metrics?a=b' });
    let body = '';
    stream.setEncoding('utf8').on('data', (text) => {
      body += text;
    });
    await once(stream, 'end');
    expect([...parseOpenMetrics(body).keys()]).toEqual(names);
  });

  it('say why there are none', async () => {
    await served.end();
    const faults: unknown[] = [];
    const metrics = () => Promise.reject(new TypeError('a defect'));
    served = await serveCoordinator({}, { metrics, onFault: (error) => faults.push(error) });
    const { status, body } = await requested(served.socket);
    expect([status, body, faults.length]).toEqual([503, 'internal error: a defect\n', 1]);
    await expect(new JsonCoordinator(served.socket).metrics()).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: `${served.socket} has no metrics now: internal error: a defect`,
    });
  });
});
