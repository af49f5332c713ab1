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

export function layoutOf({
  size: { cols, rows },
  isPeeking,
  links,
}: Pick<OverviewModel, 'size' | 'isPeeking' | 'links'>): Layout {
  const isLost = links.some(({ state, reason }) => state === 'lost' && reason !== '');
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
