import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseOpenMetrics } from '../../test/support/metrics/open-metrics.ts';
import { Histogram, type MetricFamily } from './family.ts';
import { formatAccepted, metricsJson, openMetrics, prometheusText } from './formats.ts';

/** Names of labels; `le` is that of buckets. */
const word = fc.stringMatching(/^[a-z]{1,8}$/).filter((each) => each !== 'le');
/** Strings that contain characters to escape. */
const nasty = fc.string({
  unit: fc.constantFrom('a', '"', '\\', '\n', '{', '}', ',', ' ', 'é', '='),
});
const labels = fc.dictionary(word, nasty, { maxKeys: 3 });
const count = fc.nat();
const points = (value: fc.Arbitrary<number>) =>
  fc.uniqueArray(fc.record({ labels, value }), {
    maxLength: 4,
    selector: (point) => JSON.stringify(Object.entries(point.labels).sort()),
  });
const histogram = fc.array(fc.double({ min: 0, max: 100, noNaN: true })).map((values) => {
  const histogram = new Histogram([0.001, 1, 2.5, 50]);
  for (const value of values) histogram.observe(value);
  return histogram.point({ method: 'A' });
});

/** What distinguishes the types; names are added. */
const kinds = fc.oneof(
  fc.record({ type: fc.constant('gauge' as const), points: points(fc.double()) }),
  fc.record({
    type: fc.constant('counter' as const),
    points: points(count),
    createdAtMs: count,
  }),
  fc.record({ type: fc.constant('info' as const), points: points(fc.constant(1)) }),
  fc.record({
    type: fc.constant('histogram' as const),
    points: histogram.map((point) => [point]),
    createdAtMs: count,
  }),
);
const families = fc.array(fc.tuple(kinds, nasty, fc.boolean()), { maxLength: 5 }).map((all) =>
  all.map(([kind, help, hasUnit], index): MetricFamily => {
    const unit = hasUnit ? ({ unit: 'seconds' } as const) : {};
    return { ...kind, name: `vtr_${index}${hasUnit ? '_seconds' : ''}`, help, ...unit };
  }),
);

describe('OpenMetrics', () => {
  it('says what the families have, and is valid', () => {
    const property = fc.property(families, (all) => {
      const parsed = parseOpenMetrics(openMetrics.write(all));
      expect([...parsed.keys()]).toEqual(all.map(({ name }) => name));
      for (const family of all) {
        const { name, type, help, unit = null } = family;
        const { samples, ...head } = parsed.get(name) as NonNullable<ReturnType<typeof parsed.get>>;
        expect(head).toEqual({ name, type, help, unit });
        if (family.type === 'histogram') continue;
        const said = samples.filter((each) => !each.name.endsWith('_created'));
        // A number as text and back: -0 is 0.
        const plain = (value: number) => (value === 0 ? 0 : value);
        expect(said.map((each) => ({ labels: each.labels, value: plain(each.value) }))).toEqual(
          family.points.map((each) => ({ labels: { ...each.labels }, value: plain(each.value) })),
        );
      }
    });
    fc.assert(property);
  });

  it('counts each value of a histogram in the buckets that it fits into', () => {
    const histogram = new Histogram([0.1, 1]);
    for (const value of [0.1, 0.05, 0.5, 1, 7]) histogram.observe(value);
    const family: MetricFamily = {
      name: 'vtr_x_seconds',
      unit: 'seconds',
      help: 'X.',
      type: 'histogram',
      createdAtMs: 1_500,
      points: [histogram.point({ method: 'A' })],
    };
    expect(openMetrics.write([family])).toBe(`# TYPE vtr_x_seconds histogram
# UNIT vtr_x_seconds seconds
# HELP vtr_x_seconds X.
vtr_x_seconds_bucket{method="A",le="0.1"} 2
vtr_x_seconds_bucket{method="A",le="1.0"} 4
vtr_x_seconds_bucket{method="A",le="+Inf"} 5
vtr_x_seconds_count{method="A"} 5
vtr_x_seconds_sum{method="A"} 8.65
vtr_x_seconds_created{method="A"} 1.5
# EOF
`);
  });
});

describe("Prometheus's text format", () => {
  it('has its own names, types and escapes', () => {
    const all: readonly MetricFamily[] = [
      {
        name: 'vtr_a',
        help: 'A "b"\nc\\',
        type: 'counter',
        createdAtMs: 0,
        points: [{ labels: { x: '"\n\\' }, value: 2 }],
      },
      { name: 'vtr_b', help: 'B.', type: 'info', points: [{ labels: { v: '1' }, value: 1 }] },
      {
        name: 'vtr_c',
        help: 'C.',
        type: 'stateset',
        points: [{ labels: { vtr_c: 'on' }, value: 1 }],
      },
      { name: 'vtr_d', help: 'D.', type: 'gauge', points: [{ labels: {}, value: 0.5 }] },
    ];
    expect(prometheusText.write(all)).toBe(`# HELP vtr_a_total A "b"\\nc\\\\
# TYPE vtr_a_total counter
vtr_a_total{x="\\"\\n\\\\"} 2
# HELP vtr_b_info B.
# TYPE vtr_b_info gauge
vtr_b_info{v="1"} 1
# HELP vtr_c C.
# TYPE vtr_c gauge
vtr_c{vtr_c="on"} 1
# HELP vtr_d D.
# TYPE vtr_d gauge
vtr_d 0.5
`);
  });
});

describe('formatAccepted', () => {
  it.each([
    [undefined, openMetrics],
    ['', openMetrics],
    ['*/*', openMetrics],
    ['image/png', openMetrics],
    ['text/plain', prometheusText],
    ['text/plain;version=0.0.4;q=0.5, */*;q=0.1', prometheusText],
    ['text/*, application/openmetrics-text;q=0.5', prometheusText],
    ['application/openmetrics-text;q=0, */*', prometheusText],
    ['application/json', metricsJson],
    // Prometheus 2.53 sends this.
    [
      'application/openmetrics-text;version=1.0.0;q=0.5,application/openmetrics-text;version=0.0.1;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2',
      openMetrics,
    ],
    // Prometheus 3 sends this: it prefers a format that vtr does not have.
    [
      'application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited;q=0.7,application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,text/plain;version=0.0.4;q=0.4,*/*;q=0.2',
      openMetrics,
    ],
  ])('for %s', (accept, format) => {
    expect(formatAccepted(accept)).toBe(format);
  });
});
