export { Histogram, type MetricFamily, mergedFamilies } from './family.ts';
export {
  MetricsPage,
  metricsPath,
  openMetrics,
  type PageAnswer,
  prometheusText,
  textAnswer,
} from './formats.ts';
