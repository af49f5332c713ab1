export interface Point {
  readonly x: number;
  readonly y: number;
}

/** A polygon, in pixels from the left upper corner of the cell. */
export type Polygon = readonly Point[];

/** A character that is drawn instead of taken from a font, so that it joins its neighbours. */
export interface Shape {
  readonly polygons: readonly Polygon[];
  /** How much of the colour is seen, 0 to 1. Default: 1. */
  readonly share?: number;
}

export interface Box {
  readonly width: number;
  readonly height: number;
}

export const rectangle = (x0: number, y0: number, x1: number, y1: number): Polygon => [
  { x: x0, y: y0 },
  { x: x1, y: y0 },
  { x: x1, y: y1 },
  { x: x0, y: y1 },
];

/** Returns a line of a thickness along points, without caps. */
export function stroke(points: readonly Point[], thickness: number): Polygon {
  const left: Point[] = [];
  const right: Point[] = [];
  points.forEach((point, at) => {
    const before = points[at - 1] ?? point;
    const after = points[at + 1] ?? point;
    const length = Math.hypot(after.x - before.x, after.y - before.y) || 1;
    const dx = ((after.y - before.y) / length) * (thickness / 2);
    const dy = ((after.x - before.x) / length) * (thickness / 2);
    left.push({ x: point.x + dx, y: point.y - dy });
    right.unshift({ x: point.x - dx, y: point.y + dy });
  });
  return [...left, ...right];
}

/** Returns points on an ellipse; angles in quarter turns, clockwise from the right. */
export function arc(
  centre: Point,
  radius: { readonly x: number; readonly y: number },
  from: number,
  to: number,
): Point[] {
  const steps = 12;
  return Array.from({ length: steps + 1 }, (_, step) => {
    const angle = ((from + ((to - from) * step) / steps) * Math.PI) / 2;
    return {
      x: centre.x + radius.x * Math.cos(angle),
      y: centre.y + radius.y * Math.sin(angle),
    };
  });
}
