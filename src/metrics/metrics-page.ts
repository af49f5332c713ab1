import { encodeUtf8 } from '#base';
import type { MetricFamily } from './family.ts';
import { formatAccepted } from './formats.ts';

/** The path of the metrics, as Prometheus asks for it. */
export const metricsPath = '/metrics';

/** An answer of HTTP. */
export interface PageAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | number>>;
  /** Empty for HEAD. */
  readonly body: Uint8Array;
}

/** Answers requests for metrics. Those at the same time share one collection. */
export class MetricsPage {
  readonly #collect: () => Promise<readonly MetricFamily[]>;
  #collecting: Promise<readonly MetricFamily[]> | null = null;

  /** @param collect what it fails with is thrown by {@link answer} */
  constructor(collect: () => Promise<readonly MetricFamily[]>) {
    this.#collect = collect;
  }

  /** @param accept the header of the request */
  async answer(method: string | undefined, accept: string | undefined): Promise<PageAnswer> {
    if (method !== 'GET' && method !== 'HEAD') {
      return textAnswer(405, 'use GET', { allow: 'GET, HEAD' });
    }
    const { contentType, write } = formatAccepted(accept);
    const body = encodeUtf8(write(await this.#families()));
    const headers = { 'content-type': contentType, 'content-length': body.length };
    return { status: 200, headers, body: method === 'HEAD' ? new Uint8Array() : body };
  }

  #families(): Promise<readonly MetricFamily[]> {
    this.#collecting ??= this.#collect().finally(() => {
      this.#collecting = null;
    });
    return this.#collecting;
  }
}

/** Returns an answer that says why there are no metrics. */
export function textAnswer(
  status: number,
  text: string,
  more: Readonly<Record<string, string>> = {},
): PageAnswer {
  const body = encodeUtf8(`${text}\n`);
  const headers = { 'content-type': 'text/plain; charset=utf-8', 'content-length': body.length };
  return { status, headers: { ...headers, ...more }, body };
}
