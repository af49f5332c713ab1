import { z } from 'zod';

/**
 * The fields that our manifests use, by the API of Kubernetes 1.30 (Service v1 core, StatefulSet v1 apps,
 * PodSpec, Container, Probe). Other fields are refused, so that a misspelt one is.
 */

/** RFC 1123, "DNS label". */
const label = z.string().regex(/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/);
const labels = z.record(z.string().regex(/^[\w./-]{1,63}$/), z.string().regex(/^[\w.-]{0,63}$/));
/** Resource quantities. */
const quantity = z.string().regex(/^\d+(?:\.\d+)?(?:m|k|[KMGT]i?)?$/);
const port = z.int().min(1).max(65_535);
const words = z.array(z.string()).min(1);

const metadata = z.strictObject({ name: label, namespace: label });

const probe = z.strictObject({
  exec: z.strictObject({ command: words }),
  periodSeconds: z.int().min(1),
});

const container = z.strictObject({
  name: label,
  image: z.string().regex(/^[\w.-]+(?::\d+)?(?:\/[\w.-]+)*:[\w.-]+$/),
  command: words.optional(),
  workingDir: z.string().startsWith('/').optional(),
  readinessProbe: probe.optional(),
  resources: z
    .strictObject({ limits: z.partialRecord(z.enum(['cpu', 'memory']), quantity) })
    .optional(),
  volumeMounts: z.array(z.strictObject({ name: label, mountPath: z.string().startsWith('/') })),
});

const podSpec = z
  .strictObject({
    shareProcessNamespace: z.boolean(),
    securityContext: z.strictObject({
      runAsUser: z.int().min(0),
      runAsGroup: z.int().min(0),
      runAsNonRoot: z.boolean(),
    }),
    containers: z.array(container).min(1),
    volumes: z.array(z.strictObject({ name: label, emptyDir: z.strictObject({}) })),
  })
  .refine(({ containers, volumes }) => {
    const mounted = containers.flatMap(({ volumeMounts }) => volumeMounts);
    return mounted.every(({ name }) => volumes.some((volume) => volume.name === name));
  }, 'a container mounts a volume that the pod does not have');

const service = z.strictObject({
  apiVersion: z.literal('v1'),
  kind: z.literal('Service'),
  metadata,
  spec: z.strictObject({
    clusterIP: z.literal('None'),
    selector: labels,
    ports: z.array(z.strictObject({ name: label.max(15), port })),
  }),
});

const statefulSet = z.strictObject({
  apiVersion: z.literal('apps/v1'),
  kind: z.literal('StatefulSet'),
  metadata,
  spec: z.strictObject({
    serviceName: label,
    replicas: z.int().min(0),
    selector: z.strictObject({ matchLabels: labels }),
    template: z.strictObject({ metadata: z.strictObject({ labels }), spec: podSpec }),
  }),
});

/** A headless service, and the pods that it names. */
export const fleetManifest = z.tuple([service, statefulSet]).refine(([named, set]) => {
  const { selector, template, serviceName } = set.spec;
  const { labels: own } = template.metadata;
  const selects = (labels: Record<string, string>) =>
    Object.entries(labels).every(([key, value]) => own[key] === value);
  return (
    serviceName === named.metadata.name &&
    selects(selector.matchLabels) &&
    selects(named.spec.selector) &&
    named.metadata.namespace === set.metadata.namespace
  );
}, 'the service or the set does not select the pods');
