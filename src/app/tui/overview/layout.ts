import type { OverviewModel } from './model.ts';

/** A part of the window. */
export interface Area {
  readonly row: number;
  readonly col: number;
  readonly rows: number;
  readonly cols: number;
}

/** Where the parts of the overview are. */
export interface Layout {
  /** Whether the first row of the window is the title. */
  readonly hasTitle: boolean;
  /** Whether the row above the list has the heads of its columns. */
  readonly hasHeads: boolean;
  /** The rows of the list, without its heads. Has no rows while the preview has the window. */
  readonly list: Area;
  /** What is known about the selected session, where there is no room for a preview. */
  readonly detail: Area;
  /** The coordinators that do not answer. Has no rows if all do. */
  readonly lost: Area;
  /** Its first row is its head. */
  readonly preview: Area | null;
  readonly hasFooter: boolean;
}

const sideBySideCols = 110;
const stackedRows = 24;

/** The parts of the window while panes are shown. */
interface PanesLayout {
  /** Null where there is no room, or it is hidden. The column right of it is its edge. */
  readonly bar: Area | null;
  /** The row of the tabs; null if there is one tab, or no room. */
  readonly tabs: Area | null;
  /** The panes with the borders between them. The row above it has titles, if there is one. */
  readonly space: Area;
}

/** Narrower windows have no side bar. */
const leastColsForBar = 64;
/** The columns of a side bar and of the panes, at least. */
const leastBarCols = 12;
const leastSpaceCols = 40;

/** Lower windows have no row of tabs. */
const leastRowsForTabs = 6;

export function panesLayoutOf({
  size,
  bar,
  otherTabs,
}: Pick<OverviewModel, 'size' | 'bar' | 'otherTabs'>): PanesLayout {
  const { cols, rows } = size;
  const hasTabs = otherTabs.before.length + otherTabs.after.length > 0 && rows >= leastRowsForTabs;
  const row = (rows >= 2 ? 1 : 0) + (hasTabs ? 1 : 0);
  const whole = { row, col: 0, rows: rows - row, cols };
  const tabs = hasTabs ? { row: 0, col: 0, rows: 1, cols } : null;
  if (!bar.isShown || cols < leastColsForBar) return { bar: null, tabs, space: whole };
  const barCols = Math.max(leastBarCols, Math.min(bar.cols, cols - 1 - leastSpaceCols));
  const col = barCols + 1;
  return {
    bar: { row: 0, col: 0, rows, cols: barCols },
    tabs: tabs && { ...tabs, col, cols: cols - col },
    space: { ...whole, col, cols: cols - col },
  };
}

/** Whether panes have the window. Lines that were found have all of it. */
export const showsPanes = ({
  panes,
  shows,
  mode,
}: Pick<OverviewModel, 'panes' | 'shows' | 'mode'>): boolean =>
  panes !== null && shows === 'panes' && mode.type !== 'found';

export function layoutOf(model: LayoutFacts): Layout {
  return showsPanes(model) ? barLayoutOf(model) : listLayoutOf(model);
}

type LayoutFacts = Pick<
  OverviewModel,
  'size' | 'isPeeking' | 'links' | 'panes' | 'otherTabs' | 'shows' | 'mode' | 'bar'
>;

const isAnyLost = ({ links }: Pick<OverviewModel, 'links'>): boolean =>
  links.some(({ state, reason }) => state === 'lost' && reason !== '');

/** The list as the side bar: its first row is the title. */
function barLayoutOf(model: LayoutFacts): Layout {
  const { bar } = panesLayoutOf(model);
  const { rows, cols } = bar ?? { rows: 0, cols: 0 };
  const lostRows = isAnyLost(model) && rows >= 4 ? 1 : 0;
  const list = { row: 1, col: 0, rows: Math.max(0, rows - 1 - lostRows), cols };
  return {
    hasTitle: rows > 0,
    hasHeads: false,
    list,
    detail: { ...list, rows: 0 },
    lost: { ...list, row: rows - lostRows, rows: lostRows },
    preview: null,
    hasFooter: false,
  };
}

function listLayoutOf(model: LayoutFacts): Layout {
  const { size, isPeeking } = model;
  const { cols, rows } = size;
  const isLost = isAnyLost(model);
  const hasTitle = rows >= 3;
  const hasFooter = rows >= 2;
  const top = hasTitle ? 1 : 0;
  const body: Area = { row: top, col: 0, rows: rows - top - (hasFooter ? 1 : 0), cols };
  const bars = { hasTitle, hasFooter };
  if (isPeeking) {
    const none = { ...body, rows: 0 };
    return { ...bars, hasHeads: false, list: none, detail: none, lost: none, preview: body };
  }
  if (cols >= sideBySideCols && body.rows >= 6) {
    // The preview shows 80 columns where the list has enough.
    const previewCols = Math.max(Math.floor(cols / 2), Math.min(80, cols - 62));
    const listCols = cols - previewCols - 1;
    const preview = { ...body, col: listCols + 1, cols: previewCols };
    return { ...bars, ...listAreas({ ...body, cols: listCols }, 0, isLost), preview };
  }
  if (rows >= stackedRows && cols >= 40) {
    const listRows = Math.floor(body.rows * 0.45);
    const preview = { ...body, row: body.row + listRows, rows: body.rows - listRows };
    return { ...bars, ...listAreas({ ...body, rows: listRows }, 0, isLost), preview };
  }
  const detailRows = body.rows >= 8 ? 2 : body.rows >= 4 ? 1 : 0;
  return { ...bars, ...listAreas(body, detailRows, isLost), preview: null };
}

function listAreas(
  body: Area,
  detailRows: number,
  isLost: boolean,
): Pick<Layout, 'hasHeads' | 'list' | 'detail' | 'lost'> {
  const lostRows = isLost && body.rows - detailRows >= 3 ? 1 : 0;
  const others = detailRows + lostRows;
  const hasHeads = body.rows - others >= 5;
  const row = body.row + (hasHeads ? 1 : 0);
  const rows = body.rows - others - (hasHeads ? 1 : 0);
  const detail = row + rows;
  return {
    hasHeads,
    list: { ...body, row, rows },
    detail: { ...body, row: detail, rows: detailRows },
    lost: { ...body, row: detail + detailRows, rows: lostRows },
  };
}
