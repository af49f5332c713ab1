export {
  arc,
  type Point,
  type Polygon,
  rectangle,
  type Shape,
  stroke,
} from './polygons.ts';
export { firstShape, shapeOf } from './shape-of.ts';
